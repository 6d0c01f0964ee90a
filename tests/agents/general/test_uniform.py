"""UniformRandom in law."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents


@pytest.mark.parametrize("n_arms", [1, 2, 3, 10, 97])
def test_every_arm_is_as_likely_in_every_round(n_arms):
    """Chi-square over 50 seeds x 400 rounds, level 1e-5; pairs of successive rounds for n_arms <=
    10, at the same level, so that a run of equal arms would show."""
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=50, n_arms=n_arms, horizon=400)
    agent = agents.UniformRandom().reset(env.unwrapped.task, n=50, seed=0)
    nothing = np.zeros(50, int)
    played = []
    for _ in range(400):
        arms = agent.act(nothing)
        agent.observe(nothing, arms, np.zeros(50))
        played.append(arms)
    arms = np.array(played)
    assert arms.min() >= 0
    assert arms.max() < n_arms
    if n_arms == 1:
        return
    assert stats.chisquare(np.bincount(arms.ravel(), minlength=n_arms)).pvalue > 1e-5
    if n_arms <= 10:
        pairs = arms[::2] * n_arms + arms[1::2]
        assert stats.chisquare(np.bincount(pairs.ravel(), minlength=n_arms**2)).pvalue > 1e-5


def test_a_hidden_reward_stops_its_replicate_alone():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=1000, horizon=50)
    features, _ = env.reset(seed=0)
    agent = agents.UniformRandom().reset(env.unwrapped.task, n=3, seed=4)
    first = agent.act(features)
    agent.observe(features, first, np.zeros(3), observed=np.array([True, False, True]))
    second = agent.act(features)
    assert second[1] == first[1]
    assert second[0] != first[0]
    assert second[2] != first[2]


def test_what_was_paid_changes_nothing():
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=4, horizon=60)
    runs = []
    for reward in (0.0, 1.0):
        agent = agents.UniformRandom().reset(env.unwrapped.task, n=4, seed=9)
        nothing, arms = np.zeros(4, int), []
        for _ in range(60):
            arms.append(agent.act(nothing))
            agent.observe(nothing, arms[-1], np.full(4, reward))
        runs.append(np.array(arms))
    np.testing.assert_array_equal(*runs)
