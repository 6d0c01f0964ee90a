"""UCB1 against its formula."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask

ENVIRONMENTS = {
    "one-arm": {"n_arms": 1},
    "bernoulli-3": {"n_arms": 3},
    "bernoulli-7": {"n_arms": 7},
    "gaussian-4": {"n_arms": 4, "noise": "gaussian", "noise_std": 0.5},
}


@pytest.mark.parametrize("noise_std", [None, 0.2])
def test_plays_the_largest_upper_bound_in_any_state(noise_std, play_states):
    scale = 0.5 if noise_std is None else noise_std

    def index(mean, pulls, t):
        return mean + scale * np.sqrt(8 * np.log(t) / pulls)

    play_states(agents.UCB1(noise_std=noise_std), index)


@pytest.mark.parametrize("settings", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
@pytest.mark.parametrize("noise_std", [None, 0.13])
def test_plays_each_arm_once_and_then_the_largest_upper_bound(settings, noise_std, follow):
    """R sqrt(8 log(t - 1) / N), where t - 1 plays were observed; at R = 1/2 it is the paper's
    sqrt(2 ln n / n_j), n "the overall number of plays done so far"."""
    agent = agents.UCB1(noise_std=noise_std)
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, horizon=150, **settings)
    scale = settings.get("noise_std", 0.5) if noise_std is None else noise_std

    def values(past, _, i):
        bounds = []
        for arm in range(settings["n_arms"]):
            rewards = past.of_arm(arm).rewards
            if not rewards:
                return np.array([0.0] * arm + [1.0] + [0.0] * (settings["n_arms"] - arm - 1))
            bonus = scale * math.sqrt(8 * math.log(len(past)) / len(rewards))
            bounds.append(sum(rewards) / len(rewards) + bonus)
        return np.array(bounds)

    def compare(past, _, i):
        for arm in range(settings["n_arms"]):
            rewards = past.of_arm(arm).rewards
            assert agent.pulls[i, arm] == len(rewards)
            assert agent.sums[i, arm] == pytest.approx(sum(rewards), rel=1e-12, abs=1e-12)

    follow(agent, env, values=values, compare=compare)


def test_an_arm_whose_reward_was_hidden_is_still_to_be_played():
    task = ArmedTask(n_arms=3, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.UCB1().reset(task)
    assert agent.act(0) == 0
    agent.observe(0, 0, 1.0, observed=False)
    assert agent.act(0) == 0
    agent.observe(0, 0, 1.0)
    assert agent.act(0) == 1


def test_noise_without_a_constant_takes_its_standard_deviation():
    task = ArmedTask(n_arms=2, horizon=9, noise_std=0.7, subgaussian=None, bernoulli=False)
    taken, given = agents.UCB1().reset(task), agents.UCB1(noise_std=0.7).reset(task)
    for arm, reward in [(0, 1.0), (1, 0.2), (0, 0.1), (0, 2.0)]:
        taken.observe(0, arm, reward)
        given.observe(0, arm, reward)
        assert taken.act(0) == given.act(0)


@pytest.mark.parametrize("noise_std", [-0.1, float("nan")])
def test_noise_std_is_not_negative(noise_std):
    with pytest.raises(ValueError, match=f"noise_std.*{noise_std}"):
        agents.UCB1(noise_std=noise_std)
