"""The exact posterior of arms that change against a fresh solve over all pulls."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from agents.agent import Agent
from agents.parts.posteriors import Exact
from agents.storage.loading import load
from agents.storage.saving import save
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.tasks import KernelTask


def start(n_arms, dim, ridge, covariance, n=1):
    task = KernelTask(
        n_arms=n_arms, dim=dim, horizon=None, noise_std=0.1, subgaussian=0.1,
        covariance=covariance, param_norm=1.0, fixed_arms=False,
    )  # fmt: skip
    return Exact().reset(task, n=n, seeds=range(n), covariance=covariance, ridge=ridge)


def arms_of(kind, rng, n, dim, n_arms):
    """Contexts (n, d, K): fresh, from a few points, those again and almost, or all one."""
    few = np.random.default_rng(0).random((20, dim))
    x = rng.random((n, n_arms, dim))
    if kind != "fresh":
        x = few[rng.integers(1 if kind == "one point" else 20, size=(n, n_arms))]
    if kind == "near-duplicates":
        x = x + 1e-9 * rng.standard_normal(x.shape)
    contexts = np.ascontiguousarray(x.transpose(0, 2, 1))
    contexts.flags.writeable = False
    return contexts


def expected(covariance, ridge, points, reward, arms):
    points, reward = np.array(points).reshape(-1, arms.shape[1]), np.array(reward)
    t = len(points)
    if t == 0:
        return np.zeros(len(arms)), covariance.diagonal(arms) / ridge, 0.0, 0.0
    kernel, gram = covariance(points, arms), covariance(points, points)
    solved = np.linalg.solve(gram + ridge * np.eye(t), kernel)
    variance = (covariance.diagonal(arms) - (kernel * solved).sum(axis=0)) / ridge
    values = np.linalg.eigvalsh(gram) / ridge
    return solved.T @ reward, variance, np.log1p(values).sum(), (values / (1 + values)).sum()


@pytest.mark.parametrize("kind", ["fresh", "a few", "near-duplicates", "one point"])
@pytest.mark.parametrize(
    ("covariance", "ridge", "dim", "n_arms"),
    [
        (RBF(), 1e-2, 2, 6),
        (RBF(), 1e-4, 1, 300),
        (RBF(variance=1e4), 1e2, 2, 1),
        (Matern(nu=0.5, variance=1e-4), 1e-6, 3, 5),
        (Linear(), 0.3, 4, 7),
        (RBF(length_scale=1.0), 1e-2, 20, 3),
    ],
)
def test_is_the_posterior_of_all_pulls(covariance, ridge, dim, n_arms, kind):
    """A fresh solve errs by t eps of the scaled kernel, 1e4 at most: within 1e-8."""
    n, rng, scale = 2, np.random.default_rng(1), np.sqrt(covariance.variance)
    state = start(n_arms, dim, ridge, covariance, n)
    points, paid = [[] for _ in range(n)], [[] for _ in range(n)]
    for t in range(120):
        contexts = arms_of(kind, rng, n, dim, n_arms)
        mean, variance = state.predict(contexts)
        assert variance.min() >= 0
        if t % 20 in (0, 1, 2, 13):
            for i in range(n):
                exact = expected(covariance, ridge, points[i], paid[i], contexts[i].T)
                np.testing.assert_allclose(mean[i] / scale, exact[0] / scale, rtol=0, atol=1e-8)
                np.testing.assert_allclose(variance[i], exact[1], rtol=1e-8, atol=1e-8)
                np.testing.assert_allclose(state.log_det[i], exact[2], rtol=1e-8)
                np.testing.assert_allclose(
                    state.effective_dimension()[i], exact[3], rtol=1e-8, atol=1e-8
                )
        arms = np.argmax(mean + 0.1 * np.sqrt(ridge * variance), axis=1)
        observed = rng.random(n) < 0.8
        reward = scale * (np.sin(contexts[np.arange(n), 0, arms]) + rng.standard_normal(n))
        state.update(contexts, arms, np.where(observed, reward, np.nan), observed)
        for i in np.flatnonzero(observed):
            points[i].append(contexts[i, :, arms[i]])
            paid[i].append(reward[i])
    assert state.pulls.tolist() == [len(p) for p in points]
    assert state.pulls.min() > 48  # it has grown twice


def test_an_update_needs_no_prediction_before():
    rng = np.random.default_rng(2)
    state, other = (start(4, 2, 0.1, RBF()) for _ in range(2))
    for _ in range(20):
        contexts = arms_of("a few", rng, 1, 2, 4)
        other.predict(arms_of("fresh", rng, 1, 2, 4))
        for one in (state, other):
            one.update(contexts, np.array([1]), np.array([0.3]), np.ones(1, bool))
    for mine, its in zip(state.predict(contexts), other.predict(contexts), strict=True):
        assert mine.tobytes() == its.tobytes()


def _kept(state, i):
    t = state.pulls[i]
    return [
        state.points[i, :t], state.factor[i, :t, :t], state.whitened[i, :t], state.mean[i],
        state.variance[i], state.log_det[i], state.effective[i], t,
    ]  # fmt: skip


def _same(state, i, other, j):
    for mine, its in zip(_kept(state, i), _kept(other, j), strict=True):
        assert mine.tobytes() == its.tobytes()


def test_a_replicate_depends_on_its_own_rewards_alone():
    n, rng = 3, np.random.default_rng(3)
    batch, alone = start(5, 2, 0.1, Matern(), n), [start(5, 2, 0.1, Matern()) for _ in range(n)]
    for _ in range(60):
        contexts = arms_of("a few", rng, n, 2, 5)
        arms, reward = rng.integers(5, size=n), rng.standard_normal(n)
        observed = rng.random(n) < [0.3, 0.6, 0.9]
        batch.predict(contexts)
        batch.update(contexts, arms, np.where(observed, reward, np.nan), observed)
        for i in range(n):
            one = slice(i, i + 1)
            alone[i].predict(contexts[one])
            alone[i].update(contexts[one], arms[one], reward[one], observed[one])
    for i in range(n):
        _same(batch, i, alone[i], 0)
    assert len(set(batch.pulls)) == n
    before = {name: value.copy() for name, value in vars(batch).items() if name != "covariance"
              and isinstance(value, np.ndarray)}  # fmt: skip
    batch.update(contexts, arms, np.full(n, np.nan), np.zeros(n, bool))
    for name, value in before.items():
        assert value.tobytes() == getattr(batch, name).tobytes(), name


@dataclass(kw_only=True, eq=False)
class Holder(Agent):
    accepts: ClassVar = (KernelTask,)
    state: Any = None


def test_saved_and_loaded_it_goes_on_bit_for_bit(tmp_path):
    rng, agent = np.random.default_rng(4), Holder()
    agent.state = start(5, 2, 0.1, RBF(), 2)
    for t in range(50):
        if t == 25:
            save(agent, tmp_path / "agent.npz")
            loaded = load(tmp_path / "agent.npz", allow=[Holder, type(agent.state)])
        contexts, arms = arms_of("fresh", rng, 2, 2, 5), rng.integers(5, size=2)
        reward, observed = rng.standard_normal(2), np.ones(2, bool)
        for state in (agent.state, loaded.state) if t >= 25 else (agent.state,):
            state.predict(contexts)
            state.update(contexts, arms, reward, observed)
    for i in range(2):
        _same(agent.state, i, loaded.state, i)


def test_batches_are_refused():
    state = start(5, 2, 0.1, RBF())
    contexts = arms_of("fresh", np.random.default_rng(5), 1, 2, 5)
    one = np.ones(1, bool)
    with pytest.raises(ValueError, match="every pull"):
        state.update(contexts, np.zeros(1, np.int64), np.zeros(1), one, one)
    assert state.pulls[0] == 0


def test_features_that_are_not_finite_raise_and_change_nothing():
    state, contexts = start(3, 2, 0.1, RBF(), 2), np.zeros((2, 2, 3))
    contexts[1, 0, 2] = np.nan
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        state.predict(contexts)
    both = np.ones(2, bool)
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        state.update(contexts, np.array([0, 2]), np.ones(2), both)
    assert state.pulls.tolist() == [0, 0]
    state.update(contexts, np.array([0, 2]), np.ones(2), np.array([True, False]))
    state.update(contexts, np.array([0, 1]), np.ones(2), both)
    assert state.pulls.tolist() == [2, 1]


def test_features_that_nobody_uses_may_be_anything():
    state = start(3, 2, 0.1, RBF(), n=2)
    x = np.full((2, 2, 3), 0.5)
    x[1, 0, 2] = np.nan
    state.update(x, np.array([0, 2]), np.ones(2), np.array([True, False]))
    assert state.pulls.tolist() == [1, 0]
    state.update(x, np.array([0, 0]), np.ones(2), np.ones(2, bool))
    assert state.pulls.tolist() == [2, 1]
    with pytest.raises(ValueError, match="a feature of replicate 1 is not finite"):
        state.update(x, np.array([0, 2]), np.ones(2), np.ones(2, bool))
