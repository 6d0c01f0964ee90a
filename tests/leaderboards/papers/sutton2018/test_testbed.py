"""Means over steps of the testbed's runs, against a play of every step."""

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.papers.sutton2018.testbed import KEPT, gains, on_testbed, per_step

AGENTS = {"a": agents.EpsilonGreedy(epsilon=0.2, start=0.0), "b": agents.UCB1(noise_std=0.5)}
ROUNDS = (1, 2, 3, 20, 60)


def each_step(agent, mean):
    """Rewards and plays of a best arm (n, T), one step after the other."""
    means = {"kind": "normal", "mean": mean, "std": 1.0}
    settings = {"n_arms": 10, "means": means, "noise": "gaussian", "noise_std": 1.0}
    envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=60, **settings)
    trace = agents.play(envs, agent, seed=[5, 6], rounds=range(1, 61))
    return {of: np.diff(trace.measures[of], prepend=0.0) for of in ("reward", "optimal")}


@pytest.mark.parametrize("mean", [0.0, 4.0])
def test_means_per_step(mean):
    sample = on_testbed([5, 6], AGENTS, mean=mean, rounds=ROUNDS)
    each = {name: each_step(agent, mean) for name, agent in AGENTS.items()}
    for first, last in ((1, 3), (3, 3), (4, 60)):
        expected = {
            name: own["reward"][:, first - 1 : last].mean(axis=1) for name, own in each.items()
        }
        for name in AGENTS:
            found = per_step(sample, f"{name}, reward", first, last)
            np.testing.assert_allclose(found, expected[name])
        gain = gains(sample, "reward", [("a", "b")], first, last)["a - b"]
        assert gain.value == pytest.approx((expected["a"] - expected["b"]).mean())
    best = per_step(sample, "a, optimal", 4, 60)
    np.testing.assert_allclose(best, each["a"]["optimal"][:, 3:].mean(axis=1))


def test_every_first_step_is_kept():
    assert set(range(1, 20)) | {20, 100, 500, 1000} <= set(KEPT)
