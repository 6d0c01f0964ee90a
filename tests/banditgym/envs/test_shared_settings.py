"""Settings that environments share; each environment's tests have the refusals."""

import numpy as np
import pytest

from banditgym.envs.shared_settings import FeatureSettings, NoiseSettings, ParameterSettings


def test_noise_is_that_of_the_settings():
    law = NoiseSettings(noise="student_t", noise_std=0.2, noise_df=5).law
    assert (law.kind, law.std, law.df) == ("student_t", 0.2, 5.0)
    assert NoiseSettings().law.std == 0.1
    with pytest.raises(ValueError, match="noise_df must be finite, and > 2"):
        NoiseSettings(noise_df=2).law  # noqa: B018


def test_features_are_those_of_the_settings():
    distribution = FeatureSettings(contexts="ball", dim=3, feature_norm=2.0).distribution
    assert (distribution.kind, distribution.dim, distribution.norm) == ("ball", 3, 2.0)
    assert FeatureSettings().distribution.dim == 5
    assert FeatureSettings(contexts=np.ones((4, 2))).distribution.dim == 2


def test_a_parameter_and_its_bound():
    rows, bound = ParameterSettings(theta=[3.0, 4.0]).parameter(2)
    np.testing.assert_array_equal(rows, [[3.0, 4.0]])
    assert bound == 5.0
    assert ParameterSettings(param_norm=2.5).parameter(2) == (None, 2.5)
    with pytest.raises(ValueError, match=r"theta must be of shape \(3,\), got \(2,\)"):
        ParameterSettings(theta=[3.0, 4.0]).parameter(3)
