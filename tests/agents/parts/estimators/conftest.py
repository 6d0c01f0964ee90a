"""What the tests of estimators by gradient steps share: samples, and a state followed plainly."""

import dataclasses

import numpy as np
import pytest

from banditgym.tasks import LinearTask
from tests.agents.comparison import Draws
from tests.agents.definitions.linear.fast_linucb import ESTIMATES

N, T = 3, 210  # samples lie in three chunks, of 64, 128 and 256


def _task(dim, n_arms=1, fixed_arms=False):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=T, noise_std=0.3, subgaussian=0.3, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed_arms,
    )  # fmt: skip


def _arms(kind, rng, shape):
    x = rng.standard_normal(shape)
    if kind == "zero":
        return 0.0 * x
    if kind == "some zero":
        return x * (rng.random((shape[0], 1, shape[2])) < 0.5)
    return {"long": 1e3, "short": 1e-3}.get(kind, 1.0) * x


def _follow(part, form, kind, dim):
    """After every sample theta is that of the definition of the agent of regression with this part.

    Samples reach the state as fresh arms, as fixed arms, as rows, or as numbers of known rows.
    Rewards are hidden at random, and then NaN.
    """
    rng = np.random.default_rng([dim, len(kind)])
    n_arms = {"rows": 1}.get(form, 4)
    task = _task(dim, n_arms, form == "fixed")
    seeds = [11, 5, 8]
    fixed = _arms(kind, rng, (1 if form == "known" else N, dim, n_arms))
    known = {"rows": fixed[0].T} if form == "known" else {}
    model = part.reset(task, N, seeds, **known)
    past = [([], []) for _ in range(N)]
    thetas = [[np.zeros(dim)] for _ in range(N)]  # after 0, 1, .. samples
    everyone = np.broadcast_to(fixed, (N, dim, n_arms))
    for _ in range(T):
        x = everyone if form in ("fixed", "known") else _arms(kind, rng, (N, dim, n_arms))
        x = np.ascontiguousarray(x)
        x.flags.writeable = False
        arms, y, observed = (
            rng.integers(n_arms, size=N),
            rng.standard_normal(N),
            rng.random(N) < 0.8,
        )
        shown = np.where(observed, y, np.nan)
        if form == "rows":
            model.learn(x[:, :, 0], shown, observed)
        elif form == "known":
            model.learn(arms, shown, observed)
        else:
            model.update(x, arms, shown, observed)
        for i in range(N):
            if observed[i]:
                past[i][0].append(x[i, :, arms[i]])
                past[i][1].append(y[i])
                thetas[i].append(model.theta[i].copy())
            np.testing.assert_array_equal(model.theta[i], thetas[i][-1])
    assert list(model.count) == [len(rewards) for _, rewards in past]
    for i in range(N):
        rows, y = np.array(past[i][0]), np.array(past[i][1])
        longest = np.maximum.accumulate((rows**2).sum(axis=1))
        if form in ("fixed", "known"):
            longest[:] = (everyone[i] ** 2).sum(axis=0).max()
        definition = ESTIMATES[type(part).__name__].Definition(
            task, Draws(seeds[i]), **dataclasses.asdict(part)
        )
        expected = [np.zeros(dim)]
        for row, outcome, square in zip(rows, y, longest, strict=True):
            definition._longest = square  # with known rows that of all of them
            definition.learn(row, None, outcome, 0)
            expected.append(definition.theta)
        # Steps contract: each adds rounding of its own size, some eps, and no more.
        room = 1e-11 * np.abs(expected).max()
        np.testing.assert_allclose(thetas[i], expected, rtol=0, atol=room)


@pytest.fixture
def follow():
    return _follow


@pytest.fixture
def task():
    return _task
