"""Both forms of the substitution give the means and the variances of arms."""

import numpy as np
import pytest

from agents.numerics.ridge.factor import absorb, initial
from agents.numerics.ridge.factor_predictions import predict

DIMS = [1, 2, 3, 4, 5, 8, 22, 23, 24, 25, 26, 27]  # from 24 on in the second form


@pytest.mark.parametrize("dim", DIMS)
def test_they_are_those_of_the_factor(dim):
    """D lies in [1, 2], and U is close to the identity. A triangular solution errs by d eps times
    the condition number, which is below 4: by 27 * 2.2e-16 * 4 = 2.4e-14 of its size."""
    rng = np.random.default_rng(dim)
    upper = np.eye(dim) + np.triu(rng.uniform(-1, 1, (dim, dim)), 1) / dim
    diagonal, moment = rng.uniform(1, 2, dim), rng.standard_normal(dim)
    features = rng.standard_normal((1, dim, 5))
    mean, variance = _predicted(
        (upper[None], np.array([[diagonal, 1 / diagonal]]), moment[None]), features
    )
    assert np.linalg.cond(upper) < 4
    z = np.linalg.solve(upper.T, features[0])
    room = 2.4e-14 * np.linalg.norm(moment) * np.linalg.norm(z, axis=0)
    assert (abs(mean[0] - moment @ z) <= room).all()
    form = (z * z / diagonal[:, None]).sum(axis=0)
    np.testing.assert_allclose(variance[0], form, rtol=2 * 2.4e-14)


def _predicted(state, features):
    mean, variance = np.full((2, 1, features.shape[2]), np.nan)
    features.flags.writeable = False
    assert predict(*state, features, mean, variance) == -1
    return mean, variance


@pytest.mark.parametrize("dim", DIMS)
def test_an_arm_has_its_bits_whatever_the_others_and_their_number(dim):
    """Neither padding nor the remainder of a loop changes a bit."""
    rng = np.random.default_rng(dim)
    state = initial(1, dim, 0.5)
    for _ in range(2 * dim):
        features = rng.standard_normal((1, dim, 17))
        features.flags.writeable = False
        told = rng.integers(17, size=1), rng.standard_normal(1), np.ones(1, bool)
        assert absorb(*state, 0.5, features, *told) == -1
    features = rng.standard_normal((1, dim, 17))
    mean, variance = _predicted(state, features.copy())
    for few in (1, 7, 8, 9, 16):
        for first in (0, 17 - few):
            part = slice(first, first + few)
            own_mean, own_variance = _predicted(state, features[:, :, part].copy())
            assert own_mean.tobytes() == mean[:, part].tobytes()
            assert own_variance.tobytes() == variance[:, part].tobytes()
