"""EpsilonGreedy against its formula."""

import numpy as np
import pytest

import agents
from banditgym.streams import AGENT, Stream

RIDGE, EPSILON = 0.7, 0.3


def test_epsilon_greedy_explores_by_the_first_two_uniforms_of_its_decision(
    linear_env, follow, same_regression
):
    """Uniform 0 of the decision says whether to explore, uniform 1 which arm."""
    agent = agents.EpsilonGreedy(epsilon=EPSILON, ridge=RIDGE)
    streams = [Stream([11 + i], AGENT, 0, 0) for i in range(3)]
    explored = []

    def values(past, x, i):
        explore, arm = streams[i].uniform(past.decisions, (2,))[0]
        explored.append(explore < EPSILON)
        if explored[-1]:
            return np.eye(len(x))[int(arm * len(x))]
        return x @ past.regression(RIDGE, x.shape[1])[0]

    follow(
        agent,
        linear_env,
        values=values,
        compare=lambda past, x, i: same_regression(agent.model, past, x, i, RIDGE),
    )
    # 450 decisions, each with uniforms of its own: 4.5 standard deviations.
    assert abs(np.mean(explored) - EPSILON) < 4.5 * np.sqrt(EPSILON * (1 - EPSILON) / 450)


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
