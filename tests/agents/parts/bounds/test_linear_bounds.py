"""Bounds of linear bandits against numbers worked out by hand, and over simulated runs."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts import bounds

# d 2, ridge 0.5, X 2: d log(1 + t X² / (ridge d)) is 2 log 5 after one round, 2 log 13 after three
BANDIT = {
    "dim": 2, "ridge": 0.5, "feature_norm": 2.0, "noise_std": 0.7, "param_norm": 3.0, "delta": 0.2,
}  # fmt: skip
T = np.array([[0, 1], [3, 3]])
LOGS = 2 * np.log(np.array([[1, 5], [13, 13]]))
EXCESS = 8 / math.log(9)  # X² / ridge over log(1 + X² / ridge)
RHO = math.sqrt(0.5) * 3 + 0.7 * np.sqrt(2 * math.log(5) + LOGS)


@pytest.mark.parametrize(
    ("bound", "known", "expected"),
    [
        (bounds.oful, BANDIT, 4 * np.sqrt(T * LOGS) * RHO),
        (bounds.oful_unbounded, BANDIT, 4 * np.sqrt(EXCESS * T * LOGS) * RHO),
        (bounds.forward_oful, BANDIT, 4 * np.sqrt(T * LOGS) * (RHO + 6)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_functions_of_the_round(bound, known, expected):
    """The papers' formulas as corrected, for an array of rounds and for one."""
    np.testing.assert_allclose(bound(T, **known), expected, rtol=1e-14)
    assert bound(3, **known) == pytest.approx(expected[1, 0], rel=1e-14)


def test_oful_under_assumption_1_takes_a_radius_of_at_least_1():
    small = BANDIT | {"ridge": 1e-4, "param_norm": 0.1, "noise_std": 1e-3}
    expected = 4 * math.sqrt(3 * 2 * math.log(1 + 12 / 2e-4))
    assert bounds.oful(3, **small) == pytest.approx(expected, rel=1e-14)
    assert bounds.oful_unbounded(3, **small) > 0


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_optimistic_bandits_are_below_their_bounds(ridge):
    """Each may fail with probability 0.01 per seed; of 30 seeds none does, as the bounds are loose.
    Features have length 1 at most and so has theta: rewards lie in [-1, 1]."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=30, n_arms=8, dim=3, horizon=600)
    task = envs.unwrapped.task  # type: ignore[attr-defined]
    assert task.feature_norm == 1
    assert task.param_norm == 1
    known = {
        "dim": 3, "ridge": ridge, "feature_norm": 1.0, "noise_std": task.subgaussian,
        "param_norm": 1.0, "delta": 0.01,
    }  # fmt: skip
    trace = agents.play(envs, agents.OFUL(ridge=ridge, delta=0.01))
    assert trace.regret is not None
    for bound in (bounds.oful, bounds.oful_unbounded):
        assert (trace.regret <= bound(trace.rounds, **known)).all()
    trace = agents.play(envs, agents.ForwardOFUL(ridge=ridge, delta=0.01))
    assert trace.regret is not None
    assert (trace.regret <= bounds.forward_oful(trace.rounds, **known)).all()
