"""EpsilonGreedy at the ends of its range."""

import numpy as np
import pytest

import agents


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
