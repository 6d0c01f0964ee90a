"""The kept root against numpy on random and awkward data, over long runs and in batches."""

import numpy as np
import pytest

from banditgym.linalg import root as kernels
from banditgym.streams import LEARNER, Stream


class Posterior:
    def __init__(self, n, dim, ridge):
        self.root = np.tile(np.eye(dim) / np.sqrt(ridge), (n, 1, 1))
        self.theta = np.zeros((n, dim))
        self.gram = np.tile(ridge * np.eye(dim), (n, 1, 1))
        self.moment = np.zeros((n, dim))

    def absorb(self, features, arms, reward, observed):
        features.flags.writeable = False
        bad = kernels.absorb_root(self.root, self.theta, features, arms, reward, observed)
        assert bad == -1
        for i in np.flatnonzero(observed):
            x = features[i, :, arms[i]]
            self.gram[i] += np.outer(x, x)
            self.moment[i] += reward[i] * x

    def state(self):
        return self.root.copy(), self.theta.copy()


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e-7])
@pytest.mark.parametrize("dim", [1, 2, 3, 5, 7, 8, 16, 23, 26])
def test_its_square_is_the_inverse(dim, scale):
    """40 rounds; relative error 40 d eps (largest eigenvalue) / ridge, as for the inverse."""
    n, n_arms = 3, 4
    rng = np.random.default_rng(dim)
    one = Posterior(n, dim, 0.5)
    for _ in range(40):
        features = scale * rng.standard_normal((n, dim, n_arms))
        features[:, :, 0] = 0.0
        arms = rng.integers(n_arms, size=n)
        one.absorb(features, arms, rng.standard_normal(n), rng.random(n) < 0.8)
    for i in range(n):
        exact = np.linalg.inv(one.gram[i])
        error = 40 * dim * 2.2e-16 * np.linalg.eigvalsh(one.gram[i])[-1] / 0.5
        square = one.root[i].T @ one.root[i]  # the transpose of L is what is stored
        np.testing.assert_allclose(square, exact, rtol=0, atol=error * abs(exact).max())
        theta = np.linalg.solve(one.gram[i], one.moment[i])
        room = error * (1 + abs(theta).max())
        np.testing.assert_allclose(one.theta[i], theta, rtol=0, atol=room)


def test_does_not_drift():
    """10 000 updates at ridge 1e-3 on unit features, d = 10; as for the inverse: measured 4e-15."""
    rounds, dim, ridge = 10_000, 10, 1e-3
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rounds, 1, dim, 1))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    x.flags.writeable = False
    reward, arm, seen = rng.standard_normal((rounds, 1)), np.zeros(1, int), np.ones(1, bool)
    one = Posterior(1, dim, ridge)
    for t in range(rounds):
        kernels.absorb_root(one.root, one.theta, x[t], arm, reward[t], seen)
    rows = x[:, 0, :, 0]
    gram = ridge * np.eye(dim) + rows.T @ rows
    exact = np.linalg.inv(gram)
    square = one.root[0].T @ one.root[0]
    assert np.linalg.norm(square - exact) <= 1e-12 * np.linalg.norm(exact)
    theta = np.linalg.solve(gram, rows.T @ reward[:, 0])
    assert np.linalg.norm(one.theta[0] - theta) <= 1e-12 * (1 + np.linalg.norm(theta))


@pytest.mark.parametrize("dim", [1, 5, 8, 26])
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(dim):
    rng = np.random.default_rng(4)
    one = Posterior(4, dim, 0.5)
    for t in range(6):
        before = one.state()
        observed = np.array([True, False, t % 2 == 0, False])
        reward = np.where(observed, rng.standard_normal(4), np.nan)
        one.absorb(rng.standard_normal((4, dim, 3)), rng.integers(3, size=4), reward, observed)
        for kept, now in zip(before, one.state(), strict=True):
            assert kept[~observed].tobytes() == now[~observed].tobytes()
            assert kept[observed].tobytes() != now[observed].tobytes()


def _sample(one, width, keys, t, features):
    sampled = np.full((len(features), features.shape[2]), np.nan)
    features = features.copy()
    features.flags.writeable = False
    bad = kernels.sample_means(one.root, one.theta, width, keys, t, features, sampled)
    return bad, sampled


@pytest.mark.parametrize("dim", [1, 5, 8, 26])
def test_samples_are_of_the_streams_own_round(dim):
    n, n_arms, rng = 4, 3, np.random.default_rng(8)
    one = Posterior(n, dim, 0.5)
    for _ in range(9):
        features = rng.standard_normal((n, dim, n_arms))
        one.absorb(features, rng.integers(n_arms, size=n), rng.standard_normal(n), np.ones(n, bool))
    stream = Stream([3, 9, 2**70, 0], LEARNER, 0, 0)
    t, width = np.array([0, 7, 2**40, 3]), np.array([0.5, 0.0, 2.0, 1.0])
    features = rng.standard_normal((n, dim, n_arms))
    bad, sampled = _sample(one, width, stream.keys, t, features)
    assert bad == -1
    z = stream.normal(t, (dim,))
    for i in range(n):
        plain = features[i].T @ (one.theta[i] + width[i] * one.root[i].T @ z[i])
        np.testing.assert_allclose(sampled[i], plain, rtol=1e-12, atol=1e-12)
        # alone, the same bits
        i_ = slice(i, i + 1)
        part = Posterior(1, dim, 0.5)
        part.root, part.theta = one.root[i_].copy(), one.theta[i_].copy()
        _, own = _sample(part, width[i_], stream.keys[i_].copy(), t[i_], features[i_])
        assert own[0].tobytes() == sampled[i].tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_first_replicate_with_bad_features_is_returned_and_nothing_written(bad):
    rng = np.random.default_rng(6)
    one = Posterior(4, 5, 0.5)
    one.absorb(rng.standard_normal((4, 5, 3)), np.zeros(4, int), np.ones(4), np.ones(4, bool))
    before = one.state()
    wrong = rng.standard_normal((4, 5, 3))
    wrong[2, 1, 1] = wrong[3, 0, 1] = bad
    keys = Stream([0, 1, 2, 3], LEARNER, 0, 0).keys
    assert _sample(one, np.ones(4), keys, np.zeros(4, int), wrong)[0] == 2
    wrong.flags.writeable = False
    arms, seen = np.full(4, 1), np.ones(4, bool)
    assert kernels.absorb_root(one.root, one.theta, wrong, arms, np.ones(4), seen) == 2
    for kept, now in zip(before, one.state(), strict=True):
        assert kept.tobytes() == now.tobytes()


def test_features_whose_squares_overflow_are_told():
    one, features = Posterior(3, 2, 0.5), np.ones((3, 2, 1))
    features[1] = 1e200
    arms, seen = np.zeros(3, np.int64), np.ones(3, bool)
    features.flags.writeable = False
    assert kernels.absorb_root(one.root, one.theta, features, arms, np.ones(3), seen) == -2 - 1
    seen[1] = False  # what is not observed is not absorbed
    assert kernels.absorb_root(one.root, one.theta, features, arms, np.ones(3), seen) == -1


@pytest.mark.parametrize("dim", [1, 4, 9])
def test_parameters_are_the_estimate_and_a_wide_step_of_the_streams_normals(dim):
    n, rng = 3, np.random.default_rng(dim)
    root, theta = rng.standard_normal((n, dim, dim)), rng.standard_normal((n, dim))
    width, stream, t = np.array([0.5, 2.0, 0.0]), Stream([8, 3, 5], LEARNER, 0, 0), np.arange(n)
    sampled = np.full((n, dim), np.nan)
    kernels.sample_parameters(root, theta, width, stream.keys, t, sampled)
    z = stream.normal(t, (dim,))
    step = np.einsum("nrc,nr->nc", root, z)  # the transpose of L is what is stored
    np.testing.assert_allclose(sampled, theta + width[:, None] * step, rtol=0, atol=1e-13)
