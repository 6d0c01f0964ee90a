"""Regression on fixed features against a plain solve, its draws, and what it keeps."""

import itertools

import numpy as np
import pytest

from agents.parts.posteriors.features import FeatureRegression
from banditgym.streams import AGENT, Stream

RIDGE = 0.01
# Features m, arms K, copies of the features: fewer and more features than arms.
SHAPES = [(1, 1, 1), (7, 30, 1), (7, 30, 3), (45, 30, 1), (45, 30, 3)]


def made(dim, n_arms, copies, n=3, ridge=RIDGE, joint=True, constant=0.0):
    """A posterior on smooth features; arms 0 and 1 all but coincide, arms 2 and 3 do."""
    rng = np.random.default_rng(dim)
    points = rng.random(n_arms)
    if n_arms > 3:
        points[1], points[3] = points[0] + 1e-9, points[2]
    frequencies = rng.standard_normal((copies, dim, 1)) * 8
    features = np.cos(frequencies * points + rng.random((copies, dim, 1)) * 6) / np.sqrt(dim)
    left = constant * rng.random((copies, n_arms))
    squares = (features**2).sum(axis=1)
    state = FeatureRegression(
        features, squares, squares + ridge * left, n=n, ridge=ridge, joint=joint
    )
    return state, features, left


def pulled(state, rounds, seed=0, hide=0.2):
    """Play most rounds on few arms; the pulls of each replicate."""
    n, n_arms = state.mean.shape
    rng = np.random.default_rng(seed)
    pulls = [[] for _ in range(n)]
    for _ in range(rounds):
        few = rng.random(n) < 0.8
        arms = np.where(few, rng.integers(min(5, n_arms), size=n), rng.integers(n_arms, size=n))
        observed = rng.random(n) >= hide
        reward = np.where(observed, np.sin(arms) + 0.1 * rng.standard_normal(n), np.nan)
        state.update(None, arms, reward, observed)
        for i in np.flatnonzero(observed):
            pulls[i].append((arms[i], reward[i]))
    return pulls


@pytest.mark.parametrize("rounds", [0, 1, 4000])
@pytest.mark.parametrize("shape", SHAPES)
def test_everything_is_what_a_plain_solve_gives(shape, rounds):
    """4000 pulls of 30 arms, to 1e-8: V's condition is 4e5, so that the plain solve itself errs by
    1e-10 of the prior's variance 1 / ridge.
    """
    state, features, left = made(*shape, constant=0.5)
    pulls = pulled(state, rounds)
    mean, variance = state.predict(None)
    assert mean.flags.c_contiguous
    assert variance.flags.c_contiguous
    for i, own in enumerate(pulls):
        z, c = (x[i if len(x) > 1 else 0] for x in (features, left))
        arms, reward = np.array([a for a, _ in own], int), np.array([r for _, r in own])
        gram = RIDGE * np.eye(len(z)) + z[:, arms] @ z[:, arms].T
        near = {"rtol": 0, "atol": 1e-8}
        expected = z.T @ np.linalg.solve(gram, z[:, arms] @ reward)
        np.testing.assert_allclose(mean[i], expected, **near)
        plain = (z * np.linalg.solve(gram, z)).sum(axis=0) + c
        np.testing.assert_allclose(variance[i], plain, **near)
        np.testing.assert_allclose(state.log_det[i], np.linalg.slogdet(gram / RIDGE)[1], **near)
        over_pulls = sum(plain[a] for a, _ in own)
        assert state.effective_dimension()[i] == pytest.approx(over_pulls, rel=1e-8, abs=1e-12)
        assert state.pulls[i] == len(own)
        np.testing.assert_array_equal(state.counts[i], np.bincount(arms, minlength=z.shape[1]))


def test_before_any_data_what_is_equal_by_definition_ties():
    """Squares that rounding leaves unequal in the features are taken as given."""
    features = np.random.default_rng(0).standard_normal((1, 9, 6))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    assert len(set((features**2).sum(axis=1)[0])) > 1
    state = FeatureRegression(
        features, np.ones((1, 6)), np.ones((1, 6)), n=2, ridge=0.3, joint=True
    )
    np.testing.assert_array_equal(state.predict(None)[1], np.full((2, 6), 1 / 0.3))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_hidden_reward_leaves_its_replicate_bit_for_bit(shape):
    state, *_ = made(*shape)
    pulled(state, 20)
    names = ("mean", "variance", "log_det", "pulls", "counts", "root")
    before = {name: getattr(state, name).copy() for name in (*names, "computed")}
    reward, arms = np.array([np.nan, 1.0, np.inf]), np.zeros(3, np.int64)
    state.update(None, arms, reward, np.array([False, True, False]))
    for name in names:
        now = getattr(state, name)
        assert before[name][[0, 2]].tobytes() == now[[0, 2]].tobytes(), name
        assert before[name][1].tobytes() != now[1].tobytes(), name
    assert before["computed"][[0, 2]].tobytes() == state.computed[[0, 2]].tobytes()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_replicate_has_the_bits_that_it_has_alone(shape):
    n, rng = 3, np.random.default_rng(1)
    state, features, left = made(*shape, constant=0.5)
    squares = (features**2).sum(axis=1)
    variances = squares + RIDGE * left
    alone = [
        FeatureRegression(
            *(x[i : i + 1] if len(x) > 1 else x for x in (features, squares, variances)),
            n=1, ridge=RIDGE, joint=True,
        )
        for i in range(n)
    ]  # fmt: skip
    keys = Stream(range(n), AGENT, 0, 0).keys
    for t in range(50):
        arms, reward = rng.integers(features.shape[2], size=n), rng.standard_normal(n)
        state.update(None, arms, reward, np.ones(n, bool))
        sampled = state.sample(keys, np.full(n, t), np.ones(n))
        for i, one in enumerate(alone):
            own = slice(i, i + 1)
            one.update(None, arms[own], reward[own], np.ones(1, bool))
            drawn = one.sample(keys[own], np.full(1, t), np.ones(1))
            assert drawn[0].tobytes() == sampled[i].tobytes()
            for name in ("mean", "variance", "log_det", "root"):
                assert getattr(one, name)[0].tobytes() == getattr(state, name)[i].tobytes(), name
            assert one.effective_dimension()[0] == state.effective_dimension()[i]


@pytest.mark.parametrize("dim", [3, 8])
def test_draws_follow_the_joint_law(dim):
    """4000 draws of 5 arms from N(mean, scale² C), with fewer and more features than arms.

    In units of the standard deviations: a mean is off by 1 / sqrt(4000) = 0.016, a covariance by
    at most sqrt(2 / 4000) = 0.022; 20 numbers within five of these.
    """
    n, n_arms, scale = 4000, 5, 0.4
    state, features, _ = made(dim, n_arms, 1, n=n)
    rng = np.random.default_rng(2)
    z, gram, moment = features[0], RIDGE * np.eye(dim), np.zeros(dim)
    for arm in (0, 0, 2, 4, 4, 4):
        reward = rng.standard_normal()
        state.update(None, np.full(n, arm), np.full(n, reward), np.ones(n, bool))
        gram += np.outer(z[:, arm], z[:, arm])
        moment += reward * z[:, arm]
    keys = Stream(range(n), AGENT, 0, 0).keys
    drawn = state.sample(keys, np.full(n, 7), np.full(n, scale))
    solved = np.linalg.solve(gram, z)
    covariance = scale**2 * z.T @ solved
    spread = np.sqrt(np.diag(covariance))
    assert np.max(abs(drawn.mean(axis=0) - solved.T @ moment) / spread) < 5 * 0.016
    error = (np.cov(drawn.T) - covariance) / np.outer(spread, spread)
    assert np.max(abs(error)) < 5 * 0.022
    again = state.sample(keys, np.full(n, 7), np.full(n, scale))
    np.testing.assert_array_equal(drawn, again)
    assert (state.sample(keys, np.full(n, 8), np.full(n, scale)) != drawn).any(axis=1).all()


def test_what_is_no_gaussian_process_is_not_sampled():
    state, *_ = made(3, 5, 1, joint=False, constant=0.5)
    with pytest.raises(ValueError, match="no Gaussian process"):
        state.sample(Stream(range(3), AGENT, 0, 0).keys, np.zeros(3, np.int64), np.ones(3))


def test_nothing_waits_for_the_end_of_a_batch():
    state, *_ = made(3, 5, 1)
    arms, ones = np.zeros(3, np.int64), np.ones(3)
    with pytest.raises(ValueError, match="updated at every pull"):
        state.update(None, arms, ones, ones > 0, ones > 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", SHAPES)
def test_memory_is_what_the_docstring_says(shape):
    """And no two arrays share it."""
    dim, n_arms, copies = shape
    state, *_ = made(*shape)
    arrays = [x for x in vars(state).values() if isinstance(x, np.ndarray)]
    kept = min(dim, n_arms)
    expected = 3 * (kept**2 + 4 * n_arms + 2) + copies * (kept + 1) * n_arms
    assert sum(x.size for x in arrays) == expected
    assert not any(np.may_share_memory(x, y) for x, y in itertools.combinations(arrays, 2))
