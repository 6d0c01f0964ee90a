"""EpsilonGreedy at the ends of its range."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask


def test_epsilon_one_is_uniform_and_epsilon_zero_is_greedy(linear_env):
    n_arms = linear_env.unwrapped.task.n_arms
    trace = agents.play(linear_env, agents.EpsilonGreedy(epsilon=1.0), horizon=150)
    share = trace.pulls.sum(axis=0) / 450
    # each a binomial proportion of 450 draws; 5 standard deviations
    assert np.all(abs(share - 1 / n_arms) <= 5 * np.sqrt((1 - 1 / n_arms) / n_arms / 450))
    zero = agents.play(linear_env, agents.EpsilonGreedy(epsilon=0.0), horizon=100)
    greedy = agents.play(linear_env, agents.Greedy(), horizon=100)
    np.testing.assert_array_equal(zero.regret, greedy.regret)


@pytest.mark.parametrize("epsilon", [-0.01, 1.01, float("nan")])
def test_epsilon_is_a_probability(epsilon):
    with pytest.raises(ValueError, match=f"epsilon.*{epsilon}"):
        agents.EpsilonGreedy(epsilon=epsilon)


ARMED = ArmedTask(n_arms=3, horizon=99, noise_std=1.0, subgaussian=1.0, bernoulli=False)


@pytest.mark.parametrize(
    ("given", "value"), [({"step": 0.0}, "0.0"), ({"step": 1.1}, "1.1"), ({"start": "x"}, "'x'")]
)
def test_a_bad_step_or_start_is_named_with_its_value(given, value):
    with pytest.raises(ValueError, match=f"{next(iter(given))} must be .*{value}"):
        agents.EpsilonGreedy(**given)


@pytest.mark.parametrize("given", [{"step": 0.1}, {"start": 5.0}])
def test_a_step_and_a_start_are_for_armed_tasks(linear_env, given):
    with pytest.raises(ValueError, match="this task: step and start are for armed tasks"):
        agents.EpsilonGreedy(**given).reset(linear_env.unwrapped.task, n=3)
    agents.EpsilonGreedy(**given).reset(ARMED)


def test_an_optimistic_start_is_forgotten_by_steps():
    """Q of the arm played falls from 5 to 4.5 and 4.05, and each arm is played twice in turn."""
    agent = agents.EpsilonGreedy(epsilon=0.0, step=0.1, start=5.0).reset(ARMED)
    played = []
    for _ in range(6):
        played.append(agent.act(0))
        agent.observe(0, played[-1], 0.0)
    assert played == [0, 1, 2, 0, 1, 2]
    assert agent.estimate(0, 0) == pytest.approx(4.05)


def test_with_a_step_of_one_the_last_reward_is_the_estimate():
    agent = agents.EpsilonGreedy(epsilon=0.0, step=1.0).reset(ARMED)
    for reward in (0.7, 0.2):
        agent.observe(0, 1, reward)
    assert agent.estimate(0, 1) == 0.2


def test_an_arm_without_a_reward_has_no_estimate():
    agent = agents.EpsilonGreedy(epsilon=0.0).reset(ARMED)
    agent.observe(0, 1, 0.7)
    assert np.isnan(agent.estimate(0, 0))
    assert agent.estimate(0, 1) == 0.7
    assert agent.act(0) == 0
