"""The kept root of fixed arms against numpy: random and awkward data, long runs, batches, draws."""

import numpy as np
import pytest

from agents.numerics.ridge import root_fixed as kernels
from agents.numerics.ridge.fixed_arms_updates import STEEP
from banditgym.streams import AGENT, Stream

SHAPES = [(1, 1), (1, 4), (3, 5), (7, 4), (8, 8), (26, 31)]  # features m, arms K


class Kept:
    """The kernels' state beside a plain record of the pulls."""

    def __init__(self, features, constant, ridge, n):
        _, dim, n_arms = features.shape
        self.n, self.ridge, self.features, self.constant = n, ridge, features, constant
        self.mean, self.log_det = np.zeros((n, n_arms)), np.zeros(n)
        self.variance = np.zeros((n, n_arms)) + (features**2).sum(axis=1) / ridge + constant
        self.computed = self.variance.copy()
        self.root = np.tile(np.eye(dim) / np.sqrt(ridge), (n, 1, 1))
        self.pulls = [[] for _ in range(n)]

    def absorb(self, arms, reward, observed):
        kernels.absorb_root_fixed(self.arrays(), arms, reward, observed)
        for i in np.flatnonzero(observed):
            self.pulls[i].append((arms[i], reward[i]))

    def arrays(self):
        return kernels.RootFixed(*(getattr(self, name) for name in kernels.RootFixed._fields))

    def own(self, array, i):
        return array[i if len(array) > 1 else 0]

    def plain(self, i):
        """Mean, variance, log-determinant and V of replicate i, solved afresh."""
        z = self.own(self.features, i)
        arms = np.array([arm for arm, _ in self.pulls[i]], int)
        reward = np.array([r for _, r in self.pulls[i]])
        gram = self.ridge * np.eye(len(z)) + z[:, arms] @ z[:, arms].T
        solved = np.linalg.solve(gram, z)
        variance = (z * solved).sum(axis=0) + self.own(self.constant, i)
        log_det = np.linalg.slogdet(gram / self.ridge)[1]
        return solved.T @ (z[:, arms] @ reward), variance, log_det, gram

    def state(self):
        names = ("root", "mean", "variance", "computed", "log_det")
        return {name: getattr(self, name).copy() for name in names}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("dim", "n_arms"), SHAPES)
def test_everything_kept_is_what_a_plain_solve_gives(dim, n_arms, shared):
    """60 rounds, a fifth unobserved; condition below 1e4: 60 d eps of it is 1e-10."""
    n, rng = 2, np.random.default_rng(dim)
    features = rng.standard_normal((1 if shared else n, dim, n_arms))
    features[:, :, 0] *= 0.0  # an arm that nothing is ever learned of
    one = Kept(features, rng.random((1 if shared else n, n_arms)), 0.3, n)
    for t in range(60):
        reward, observed = rng.standard_normal(n), rng.random(n) < 0.8
        one.absorb(rng.integers(n_arms, size=n), np.where(observed, reward, np.nan), observed)
        if t in (0, 1, 59):
            for i in range(n):
                mean, variance, log_det, gram = one.plain(i)
                near = {"rtol": 1e-10, "atol": 1e-10}
                np.testing.assert_allclose(one.mean[i], mean, **near)
                np.testing.assert_allclose(one.variance[i], variance, **near)
                np.testing.assert_allclose(one.log_det[i], log_det, **near)
                square = one.root[i] @ one.root[i].T
                np.testing.assert_allclose(square @ gram, np.eye(dim), **near)


@pytest.mark.parametrize("dim", [5, 40])
def test_long_runs_at_a_small_ridge_keep_every_variance(dim):
    """1e5 pulls at ridge 1e-6 and noise of its size, most of few arms, two of them all but equal.

    Variances fall from 1e6 to 1e-5 where arms were played, and stay 1e6 where they were not; all
    are compared relatively with those of an orthogonal factor of the played rows, whose condition
    is the root of V's. Measured: 1e-9, means 1e-9, and beyond 1e-5 by the inverse of V.
    """
    n_arms, rounds, ridge, rng = 60, 100_000, 1e-6, np.random.default_rng(dim)
    points = np.sort(rng.random(n_arms))
    points[1] = points[0] + 1e-9
    scales = np.exp(-0.2 * np.arange(dim))[:, None]  # eigenvalues of every order, as of a kernel
    features = scales * np.cos(np.outer(np.arange(dim), np.pi * points))
    one = Kept(features[None], np.zeros((1, n_arms)), ridge, 1)
    arms = np.where(
        rng.random(rounds) < 0.9, rng.integers(4, size=rounds), rng.integers(40, size=rounds)
    )
    reward = (np.sin(5 * points)[arms] + 1e-3 * rng.standard_normal(rounds))[:, None]
    seen = np.ones(1, bool)
    for t in range(rounds):
        one.absorb(arms[t : t + 1], reward[t], seen)
    counts = np.bincount(arms, minlength=n_arms)
    played = counts > 0
    rows = np.sqrt(counts[played])[:, None] * features[:, played].T
    stacked = np.concatenate([rows, np.sqrt(ridge) * np.eye(dim)])
    q, r = np.linalg.qr(stacked)
    whitened = np.linalg.solve(r.T, features)
    paid = np.bincount(arms, reward[:, 0], minlength=n_arms)[played] / np.sqrt(counts[played])
    mean = whitened.T @ (q[: len(paid)].T @ paid)
    np.testing.assert_allclose(one.variance[0], (whitened**2).sum(axis=0), rtol=1e-8)
    np.testing.assert_allclose(one.mean[0], mean, rtol=0, atol=1e-8)
    log_det = 2 * np.log(abs(np.diag(r))).sum() - dim * np.log(ridge)
    assert one.log_det[0] == pytest.approx(log_det, rel=1e-10)
    # Every variance was computed when it had last fallen by 64.
    assert (STEEP * one.variance[0] >= one.computed[0]).all()


def test_no_variance_is_negative():
    """Arms that coincide, and a ridge at which a pull leaves 1e-10 of the variance."""
    rng = np.random.default_rng(0)
    features = np.repeat(rng.standard_normal((1, 6, 5)), 4, axis=2)
    features[:, :, 1::4] *= 1 + 1e-15
    one = Kept(features, np.zeros((1, 20)), 1e-10, 1)
    for _ in range(300):
        one.absorb(rng.integers(20, size=1), rng.standard_normal(1), np.ones(1, bool))
        assert (one.variance >= 0).all()
        assert np.isfinite(one.mean).all()


@pytest.mark.parametrize(("dim", "n_arms"), SHAPES)
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(dim, n_arms):
    rng = np.random.default_rng(4)
    one = Kept(rng.standard_normal((4, dim, n_arms)), np.zeros((1, n_arms)), 0.5, 4)
    for t in range(6):
        before = one.state()
        observed = np.array([True, False, t % 2 == 0, False])
        reward = np.where(observed, rng.standard_normal(4), np.nan)
        one.absorb(rng.integers(n_arms, size=4), reward, observed)
        for name, values in one.state().items():
            same = [x.tobytes() == y.tobytes() for x, y in zip(values, before[name], strict=True)]
            assert np.all(np.array(same)[~observed]), name
        assert (one.log_det[observed] > before["log_det"][observed]).all()


@pytest.mark.parametrize(("dim", "n_arms"), SHAPES)
def test_a_replicate_has_the_bits_that_it_has_alone(dim, n_arms):
    """Whether it shares its features or has its own copy of them."""
    rng, n = np.random.default_rng(5), 3
    features = rng.standard_normal((1, dim, n_arms))
    copies = np.repeat(features, n, axis=0)
    constant = rng.random((1, n_arms))
    shared = Kept(features, constant, 1e-6, n)
    apart = Kept(copies, np.repeat(constant, n, axis=0), 1e-6, n)
    alone = [Kept(features, constant, 1e-6, 1) for _ in range(n)]
    keys = Stream(range(n), AGENT, 0, 0).keys
    for _ in range(40):
        arms, reward = rng.integers(n_arms, size=n), rng.standard_normal(n)
        for one in (shared, apart):
            one.absorb(arms, reward, np.ones(n, bool))
        for i, one in enumerate(alone):
            one.absorb(arms[i : i + 1], reward[i : i + 1], np.ones(1, bool))
    drawn = [draw(one, keys) for one in (shared, apart)]
    for i, one in enumerate(alone):
        for name, values in one.state().items():
            assert values[0].tobytes() == shared.state()[name][i].tobytes(), name
            assert values[0].tobytes() == apart.state()[name][i].tobytes(), name
        own = draw(one, keys[i : i + 1])
        assert own[0].tobytes() == drawn[0][i].tobytes() == drawn[1][i].tobytes()


def draw(one, keys):
    sampled = np.empty_like(one.mean)
    scale, t = np.full(one.n, 0.7), np.full(one.n, 3)
    kernels.sample_root_fixed(one.arrays(), scale, keys, t, sampled)
    return sampled


@pytest.mark.parametrize(("dim", "n_arms"), SHAPES)
def test_a_draw_is_made_of_the_normals_of_its_round(dim, n_arms):
    n, rng = 2, np.random.default_rng(6)
    one = Kept(rng.standard_normal((n, dim, n_arms)), np.zeros((1, n_arms)), 0.5, n)
    for _ in range(10):
        one.absorb(rng.integers(n_arms, size=n), rng.standard_normal(n), np.ones(n, bool))
    stream = Stream([8, 9], AGENT, 0, 0)
    t, scale = np.array([4, 11]), np.array([0.5, 2.0])
    sampled = np.empty((n, n_arms))
    kernels.sample_root_fixed(one.arrays(), scale, stream.keys, t, sampled)
    normals = stream.normal(t, (dim,))
    for i in range(n):
        expected = one.mean[i] + scale[i] * one.features[i].T @ (one.root[i] @ normals[i])
        np.testing.assert_allclose(sampled[i], expected, rtol=1e-12, atol=1e-12)


def test_sums_are_weighted_by_counts():
    """An infinite variance that was never pulled counts for nothing."""
    sums = np.empty(2)
    counts = np.array([[2, 0, 1], [0, 0, 0]])
    kernels.weighted_sums(counts, np.array([[0.5, np.inf, 3.0], [1.0, 1.0, 1.0]]), sums)
    np.testing.assert_array_equal(sums, [4.0, 0.0])


def test_sums_are_weighted_by_what_was_pulled():
    """What was not pulled is not looked at, whatever its variance."""
    counts = np.array([[2, 0], [0, 0], [1, 3]])
    variance, sums = np.array([[0.5, np.nan], [1.0, np.nan], [0.25, 2.0]]), np.full(3, np.nan)
    kernels.weighted_sums(counts, variance, sums)
    assert sums.tolist() == [1.0, 0.0, 6.25]
