"""A regression per arm is the ridge regression of its own samples, whatever the others saw."""

import numpy as np
import pytest

from agents.inputs.feature_limits import longest_square
from agents.numerics.ridge.disjoint import absorb_disjoint, predict_disjoint

N, K, RIDGE = 3, 4, 0.7


def _state(dim):
    upper = np.tile(np.eye(dim), (N, K, 1, 1))
    pivots = np.empty((N, K, 2, dim))
    pivots[:, :, 0], pivots[:, :, 1] = RIDGE, 1.0 / RIDGE
    return upper, pivots, np.zeros((N, K, dim))


@pytest.mark.parametrize("dim", [1, 2, 5, 24])
def test_means_and_variances_are_those_of_a_fresh_solve_per_arm(dim):
    rng = np.random.default_rng(dim)
    state, stale = _state(dim), np.ones((N, K), bool)
    mean, variance = np.zeros((N, K)), np.zeros((N, K))
    gram, total = np.tile(RIDGE * np.eye(dim), (N, K, 1, 1)), np.zeros((N, K, dim))
    for _ in range(30):
        features = rng.normal(size=(N, dim, K))
        stale[:] = True  # new features
        assert predict_disjoint(state, features, stale, mean, variance) == -1
        assert not stale.any()
        for i in range(N):
            for k in range(K):
                x = features[i, :, k]
                # Conditions stay below 1e3: 1e-10 is many times what a solve may lose.
                assert mean[i, k] == pytest.approx(
                    x @ np.linalg.solve(gram[i, k], total[i, k]), rel=1e-10, abs=1e-12
                )
                assert variance[i, k] == pytest.approx(
                    x @ np.linalg.solve(gram[i, k], x), rel=1e-10
                )
        arms, reward = rng.integers(K, size=N), rng.normal(size=N)
        observed = rng.random(N) < 0.7
        kept = [array.copy() for array in state]
        assert absorb_disjoint(state, RIDGE, stale, features, arms, reward, observed) == -1
        for i in range(N):
            learned = np.arange(K) == arms[i] if observed[i] else np.zeros(K, bool)
            np.testing.assert_array_equal(stale[i], learned)
            for array, before in zip(state, kept, strict=True):
                np.testing.assert_array_equal(array[i, ~learned], before[i, ~learned])
            if observed[i]:
                x = features[i, :, arms[i]]
                gram[i, arms[i]] += np.outer(x, x)
                total[i, arms[i]] += reward[i] * x


def test_only_stale_arms_are_read():
    state, stale = _state(2), np.zeros((N, K), bool)
    stale[1, 2] = True
    mean, variance = np.full((N, K), 7.0), np.full((N, K), 7.0)
    assert predict_disjoint(state, np.ones((N, 2, K)), stale, mean, variance) == -1
    others = np.ones((N, K), bool)
    others[1, 2] = False
    assert (mean[others] == 7.0).all()
    assert (variance[others] == 7.0).all()
    assert variance[1, 2] == pytest.approx(2.0 / RIDGE)


@pytest.mark.parametrize("value", [np.nan, np.inf, 2.0 * longest_square(RIDGE) ** 0.5])
def test_what_cannot_be_learned_is_reported_before_anything_is_written(value):
    state, stale = _state(2), np.zeros((N, K), bool)
    kept = [array.copy() for array in state]
    features = np.ones((N, 2, K))
    features[2, 1, 3] = value
    arms, everyone = np.full(N, 3), np.ones(N, bool)
    # Not finite: the replicate. Too long: -2 less the replicate.
    expected = -4 if np.isfinite(value) else 2
    learned = absorb_disjoint(state, RIDGE, stale, features, arms, np.ones(N), everyone)
    assert learned == expected
    assert not stale.any()
    for array, before in zip(state, kept, strict=True):
        np.testing.assert_array_equal(array, before)
    everyone[2] = False
    assert absorb_disjoint(state, RIDGE, stale, features, arms, np.ones(N), everyone) == -1
