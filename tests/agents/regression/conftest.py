"""What the tests of regression agents share: data, and an agent followed beside its formula."""

import numpy as np
import pytest

from banditgym.tasks import RegressionTask


def _task(dim, bound=None):
    return RegressionTask(
        dim=dim, horizon=99, noise_std=0.3, subgaussian=0.3, feature_norm=None, param_norm=1.0,
        bound=bound,
    )  # fmt: skip


def _data(kind, dim, rounds=40, n=3, seed=0):
    """Rows (rounds, n, d) and outcomes (rounds, n): a noisy linear law for every replicate."""
    rng = np.random.default_rng([seed, dim])
    rows = rng.standard_normal((rounds, n, dim))
    if kind == "repeated":  # three rows in turn
        rows = rows[np.arange(rounds) % 3]
    elif kind == "deficient":  # a plane at no axis, of about half the dimensions
        rows = rows[:, :, : 1 + dim // 2] @ rng.standard_normal((1 + dim // 2, dim))
    elif kind == "large":
        rows = 1e6 * rows
    elif kind == "small":
        rows = 1e-6 * rows
    y = rows @ (rng.standard_normal(dim) / (1e-300 + abs(rows).max()))
    return rows, y + 0.3 * rng.standard_normal((rounds, n))


def _play(agent, rows, y, bound=None, hide=0.0, inspect=None):
    """Predictions (rounds, n); before each ``inspect(t, i, past rows, past outcomes, predicted)``.

    Outcomes are hidden with probability ``hide``, and then they are NaN.
    """
    rounds, n, dim = rows.shape
    hiding = np.random.default_rng(7)
    agent.reset(_task(dim, bound), n=n, seed=3)
    seen = [([], []) for _ in range(n)]
    played = np.zeros((rounds, n))
    for t in range(rounds):
        played[t] = agent.act(rows[t])
        for i in range(n):
            if inspect is not None:
                past = np.array(seen[i][0]).reshape(-1, dim)
                inspect(t, i, past, np.array(seen[i][1]), played[t, i])
        observed = hiding.random(n) >= hide
        outcome = np.where(observed, y[t], np.nan)
        reward = -((played[t] - outcome) ** 2)
        agent.observe(rows[t], played[t], reward, feedback=outcome, observed=observed)
        for i in np.flatnonzero(observed):
            seen[i][0].append(rows[t, i])
            seen[i][1].append(y[t, i])
    return played


def _follow(agent, prediction, *, dim=3, hide=0.2, bound=None):
    """Every prediction is ``prediction(past rows, past outcomes, row)``, clipped to the bound.

    Condition numbers are below 1e3 and numbers of order 1, so 1e-10 is ample.
    """
    rows, y = _data("random", dim)

    def inspect(t, i, past, outcomes, predicted):
        expected = prediction(past, outcomes, rows[t, i])
        if bound is not None:
            expected = min(max(expected, -bound), bound)
        assert abs(predicted - expected) <= 1e-10 * max(1.0, abs(expected))

    played = _play(agent, rows, y, bound, hide, inspect)
    if bound is not None:  # else nothing was clipped, or everything
        assert 0 < (abs(played) == bound).mean() < 1


@pytest.fixture
def data():
    return _data


@pytest.fixture
def play():
    return _play


@pytest.fixture
def follow():
    return _follow


@pytest.fixture
def task():
    return _task
