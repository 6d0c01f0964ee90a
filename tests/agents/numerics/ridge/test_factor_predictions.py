"""Predictions by the kept factor, bit for bit; ``test_factor.py`` compares them with numpy."""

import numpy as np
import pytest

from agents.numerics.ridge.factor import absorb, initial
from agents.numerics.ridge.factor_predictions import predict


def _shown(features):
    features.flags.writeable = False
    return features


def _predicted(state, features):
    mean, variance = np.full((2, 1, features.shape[2]), np.nan)
    assert predict(*state, _shown(features), mean, variance) == -1
    return mean, variance


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 8, 22, 23, 24, 25, 26, 27])
def test_an_arm_has_its_bits_whatever_the_others_and_their_number(dim):
    """So padding, and the remainder of a loop, change nothing; both forms of the substitution."""
    rng = np.random.default_rng(dim)
    state, everyone = initial(1, dim, 0.5), np.ones(1, bool)
    for _ in range(2 * dim):
        features = _shown(rng.standard_normal((1, dim, 17)))
        told = rng.integers(17, size=1), rng.standard_normal(1), everyone
        assert absorb(*state, 0.5, features, *told) == -1
    features = rng.standard_normal((1, dim, 17))
    mean, variance = _predicted(state, features.copy())
    for few in (1, 7, 8, 9, 16):
        for first in (0, 17 - few):
            part = slice(first, first + few)
            own_mean, own_variance = _predicted(state, features[:, :, part].copy())
            assert own_mean.tobytes() == mean[:, part].tobytes()
            assert own_variance.tobytes() == variance[:, part].tobytes()
