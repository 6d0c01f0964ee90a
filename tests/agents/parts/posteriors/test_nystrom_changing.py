"""The Nyström posterior where arms change, against its definition."""

import numpy as np
import pytest

from agents.parts.posteriors import Nystrom
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask

PURPOSE = 5  # of the uniforms that draw inducing points
SEEDS = [3, 11, 12]


def start(dim, n_arms, covariance, ridge, seeds, qbar=5.0):
    task = KernelTask(
        n_arms=n_arms, dim=dim, horizon=None, noise_std=0.1, subgaussian=0.1,
        covariance=covariance, param_norm=1.0, fixed_arms=False,
    )  # fmt: skip
    return Nystrom(qbar=qbar).reset(
        task, n=len(seeds), seeds=seeds, covariance=covariance, ridge=ridge
    )


def by_definition(at, points, paid, inducing, covariance, ridge):
    """Mean and variance at points (a, d), from all points pulled, (t, d), and rewards (t,)."""
    if not len(inducing):
        return np.zeros(len(at)), covariance.diagonal(at) / ridge
    values, vectors = np.linalg.eigh(covariance(points[inducing], points[inducing]))
    kept = values > len(values) * np.finfo(float).eps * values.max()
    root = vectors[:, kept] / np.sqrt(values[kept])
    z, past = covariance(at, points[inducing]) @ root, covariance(points, points[inducing]) @ root
    gram = past.T @ past + ridge * np.eye(z.shape[1])
    mean = z @ np.linalg.solve(gram, past.T @ paid)
    variance = np.maximum(covariance.diagonal(at) - (z * z).sum(axis=1), 0) / ridge
    return mean, variance + (z * np.linalg.solve(gram, z.T).T).sum(axis=1)


def shown(rng, n, dim, n_arms, few):
    """Contexts (n, d, K): new points, or the same few points again and again."""
    x = rng.random((n, dim, n_arms))
    if few:
        corners = np.random.default_rng(0).random((dim, 6))
        x = corners[:, rng.integers(6, size=(n, n_arms))].swapaxes(0, 1).copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    ("dim", "n_arms", "covariance", "ridge", "qbar", "few"),
    [
        (2, 5, RBF(length_scale=0.5), 0.1, 5.0, False),
        (2, 5, RBF(), 0.01, 2.0, True),  # points pulled twice are inducing points twice
        (1, 300, Matern(nu=1.5, variance=3.0), 0.3, 2.0, False),
        (3, 4, Linear(variance=2.0), 0.05, 3.0, False),
        (20, 1, RBF(length_scale=2.0, variance=0.05), 0.1, 1.0, False),
    ],
)
def test_follows_the_definition(dim, n_arms, covariance, ridge, qbar, few):
    state, rng = start(dim, n_arms, covariance, ridge, SEEDS, qbar), np.random.default_rng(5)
    points, paid = [np.zeros((0, dim))] * 3, [[], [], []]
    dictionary = [[], [], []]
    least = 99
    for _ in range(70):
        contexts = shown(rng, 3, dim, n_arms, few)
        mean, variance = state.predict(contexts)
        for i in range(3):
            expected = by_definition(
                contexts[i].T, points[i], np.array(paid[i]), dictionary[i], covariance, ridge
            )
            # K_SS is known to eps times its condition number, 1e7 at most where it is not cut
            np.testing.assert_allclose(mean[i], expected[0], rtol=0, atol=1e-7)
            np.testing.assert_allclose(variance[i], expected[1], rtol=1e-7, atol=1e-7)
            assert np.all(variance[i] >= 0)
        played, reward = rng.integers(n_arms, size=3), rng.standard_normal(3)
        observed = rng.random(3) < 0.8
        state.update(contexts, played, np.where(observed, reward, np.nan), observed)
        for i in np.flatnonzero(observed):
            before = points[i]
            points[i] = np.vstack([before, contexts[i, :, played[i]]])
            t = len(points[i])
            # Every stored point's variance from before the pull, the new one's too.
            p = by_definition(
                points[i], before, np.array(paid[i]), dictionary[i], covariance, ridge
            )[1]
            uniform = Stream([SEEDS[i]], AGENT, PURPOSE, 0).uniform(t, (t,))[0]
            dictionary[i] = np.flatnonzero((t == 1) | (uniform < qbar * p)).tolist()
            assert state.inducing[i, : state.count[i]].tolist() == dictionary[i]
            paid[i].append(reward[i])
            least = min(least, t if t < 20 else len(dictionary[i]) - t)
            total = by_definition(
                points[i], points[i], np.array(paid[i]), dictionary[i], covariance, ridge
            )[1].sum()
            assert state.effective_dimension()[i] == pytest.approx(total, abs=1e-6)
        assert state.pulls.tolist() == [len(x) for x in paid]
    assert least < 0  # of 20 pulls and more some were left out


def test_is_exact_where_every_pull_is_drawn():
    covariance, ridge, rng = RBF(), 0.05, np.random.default_rng(0)
    state = start(2, 6, covariance, ridge, [4], qbar=100.0)
    points, paid = [], []
    for t in range(80):
        contexts = shown(rng, 1, 2, 6, few=t % 2 == 0)
        mean, variance = state.predict(contexts)
        if t:
            x, arms = np.array(points), contexts[0].T
            gram = np.linalg.inv(covariance(x, x) + ridge * np.eye(t))
            across = covariance(x, arms)
            np.testing.assert_allclose(mean[0], across.T @ gram @ paid, rtol=0, atol=1e-8)
            left = 1 - np.einsum("sa,st,ta->a", across, gram, across)
            np.testing.assert_allclose(variance[0], left / ridge, rtol=0, atol=1e-8)
        arm = int(rng.integers(6))
        points.append(contexts[0, :, arm])
        paid.append(rng.standard_normal())
        state.update(contexts, np.array([arm]), np.array(paid[-1:]), np.ones(1, bool))
    assert state.count[0] == 80


def played(seeds, rounds=40):
    rng = np.random.default_rng(1)
    mine = np.array(seeds)
    state = start(2, 5, RBF(), 0.02, seeds)
    for _ in range(rounds):
        contexts, arms = shown(rng, 5, 2, 5, few=False)[mine], rng.integers(5, size=5)
        reward, observed = rng.standard_normal(5), rng.random(5) < 0.8
        state.predict(contexts)
        state.update(contexts, arms[mine], reward[mine], observed[mine])
    return state


def test_a_replicate_does_not_depend_on_the_others():
    together = played([0, 1, 2, 3, 4])
    contexts = shown(np.random.default_rng(2), 5, 2, 5, few=False)
    mean, variance = together.predict(contexts)
    for i in (0, 3):
        alone = played([i])
        of_mean, of_variance = alone.predict(contexts[i : i + 1])
        assert of_mean[0].tobytes() == mean[i].tobytes()
        assert of_variance[0].tobytes() == variance[i].tobytes()
        assert alone.effective_dimension()[0] == together.effective_dimension()[i]


def test_a_hidden_reward_leaves_its_replicate_bit_for_bit():
    state = played([0, 1, 2, 3, 4])
    names = [
        "pulls", "points", "paid", "spread", "inducing", "count", "rank", "triangular",
        "whitening", "solver", "coefficients",
    ]  # fmt: skip
    before = {name: getattr(state, name).copy() for name in names}
    hidden = np.array([True, False, True, False, False])
    contexts = shown(np.random.default_rng(3), 5, 2, 5, few=False)
    state.update(contexts, np.zeros(5, int), np.where(hidden, np.nan, 1.0), ~hidden)
    for name, was in before.items():
        now = getattr(state, name)[(slice(None), *(slice(size) for size in was.shape[1:]))]
        assert now[hidden].tobytes() == was[hidden].tobytes(), name
    assert np.all(state.pulls[~hidden] == before["pulls"][~hidden] + 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_arms_that_are_not_finite_raise_and_change_nothing(bad):
    state = played([0, 1])
    wrong = shown(np.random.default_rng(3), 2, 2, 5, few=False).copy()
    wrong[1, 0, 2] = bad
    pulls = state.pulls.copy()
    with pytest.raises(ValueError, match="an arm of replicate 1 is not finite"):
        state.predict(wrong)
    with pytest.raises(ValueError, match="an arm of replicate 1 is not finite"):
        state.update(wrong, np.array([2, 2]), np.ones(2), np.ones(2, bool))
    np.testing.assert_array_equal(state.pulls, pulls)
    state.update(wrong, np.array([2, 2]), np.ones(2), np.array([True, False]))
    np.testing.assert_array_equal(state.pulls, pulls + [1, 0])
