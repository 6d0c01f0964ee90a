"""EpsilonNGreedy against its definition."""

import gymnasium
import numpy as np
import pytest

from agents.armed.epsilon_n_greedy import EpsilonNGreedy
from banditgym.streams import AGENT, Stream
from banditgym.tasks import ArmedTask


def test_the_defaults():
    """The c of most of the paper's experiments, and a gap of 0.1."""
    assert (EpsilonNGreedy().c, EpsilonNGreedy().gap) == (0.15, 0.1)


def test_plays_the_largest_mean_in_any_state(play_states):
    play_states(EpsilonNGreedy(c=1e-300), lambda mean, pulls, t: mean, most=30)


@pytest.mark.parametrize(("c", "gap"), [(0.15, 0.1), (0.2, 0.5), (1e-9, 1.0)])
@pytest.mark.parametrize("n_arms", [1, 3, 7])
def test_explores_with_a_probability_that_falls_as_1_over_t(c, gap, n_arms, follow):
    agent = EpsilonNGreedy(c=c, gap=gap)
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, n_arms=n_arms, horizon=150)
    streams = [Stream([11 + i], AGENT, 0, 0) for i in range(3)]

    def values(past, _, i):
        first, second = streams[i].uniform(past.decisions, (2,))[0]
        if first < min(1, c * n_arms / (gap**2 * (past.decisions + 1))):
            return np.eye(n_arms)[int(second * n_arms)]
        means = [past.of_arm(arm).rewards for arm in range(n_arms)]
        return np.array([np.mean(rewards) if rewards else np.inf for rewards in means])

    def compare(past, _, i):
        for arm in range(n_arms):
            assert agent.pulls[i, arm] == len(past.of_arm(arm).rewards)

    follow(agent, env, values=values, compare=compare)


def test_the_share_of_exploration():
    """At t = 300 a share of 0.3 * 2 / 0.01 / 300 = 0.2 explores, and half of it plays arm 1.

    The share's standard deviation is sqrt(0.1 * 0.9 / 20,000) = 0.0021; the band has five.
    """
    n = 20_000
    task = ArmedTask(n_arms=2, horizon=999, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = EpsilonNGreedy(c=0.3, gap=0.1).reset(task, n=n, seed=5)
    agent.pulls[:], agent.sums[:], agent.decisions[:] = 10, [9.0, 1.0], 299
    played = agent.act(np.zeros(n, int))
    assert abs(np.mean(played) - 0.1) < 0.0105


@pytest.mark.parametrize(
    ("given", "message"),
    [({"c": 0.0}, "c.*0.0"), ({"gap": 0.0}, "gap.*0.0"), ({"gap": 1.5}, "at most 1, got 1.5")],
)
def test_wrong_constants_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        EpsilonNGreedy(**given)
