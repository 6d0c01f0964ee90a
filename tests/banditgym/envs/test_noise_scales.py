"""Standard deviations that depend on the arm: their numbers, and the forms of settings."""

import numpy as np
import pytest

from banditgym.envs.contexts import Contexts
from banditgym.envs.noise_scales import ByArm, ByFeature, read_noise_std

FEATURES = np.random.default_rng(0).standard_normal((5, 2, 3, 4))  # (m, n, d, K)


def test_one_for_each_arm():
    law = read_noise_std("noise_std", [0.5, 0, 2, 1])
    assert isinstance(law, ByArm)
    np.testing.assert_array_equal(law.deviations(FEATURES, 4), [[[0.5, 0, 2, 1]] * 2])
    assert law.largest(Contexts.of("gaussian", 3, None)) == 2.0
    assert law.fault(4, 3) is None
    assert law.fault(3, 3) == "noise_std is for 4 arms, and there are 3"


def test_proportional_to_a_feature():
    law = read_noise_std("noise_std", {"kind": "feature", "index": 2, "scale": 0.5})
    assert law == ByFeature(index=2, scale=0.5)
    expected = 0.5 * np.abs(FEATURES[:, :, 2])
    np.testing.assert_array_equal(law.deviations(FEATURES, 4), expected)
    shared = law.deviations(FEATURES[..., :1], 4)
    np.testing.assert_array_equal(shared, np.tile(expected[..., :1], 4))
    for contexts, norm, largest in (
        ("ball", 3.0, 1.5),
        ("cube", 4.0, 1.0),
        ("gaussian", 1.0, None),
    ):
        assert law.largest(Contexts.of(contexts, 4, norm)) == largest
    assert law.fault(4, 3) is None
    assert law.fault(4, 2) == "noise_std has the index 2, and features are 0 to 1"


def test_numbers_and_laws_are_read_as_they_are():
    law = ByFeature(index=0)
    assert read_noise_std("noise_std", law) is law
    assert read_noise_std("noise_std", 2) == 2.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0.1", "noise_std must be a number, got '0.1'"),
        ([0.1, np.nan], "noise_std must be finite, got nan"),
        ([0.1, -1], "noise_std must be a standard deviation, >= 0 and at most 1e.150, or one for"),
        ([[0.1]], "noise_std must be a standard deviation, .*or one for each arm, got"),
        ([1e200], "noise_std must be a standard deviation, >= 0 and at most"),
        ({"index": 1}, "noise_std must be a number, one for each arm, or a mapping such as"),
        ({"kind": "features", "index": 1}, "unknown noise_std 'features'; did you mean feature"),
        ({"kind": "feature"}, "index"),
        ({"kind": "feature", "index": 0.5}, "index must be an integer >= 0, got 0.5"),
        ({"kind": "feature", "index": 0, "scale": np.inf}, "scale must be finite and >= 0"),
    ],
)
def test_what_is_no_deviation_is_refused_in_a_line(value, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_noise_std("noise_std", value)
    assert "\n" not in str(caught.value)
