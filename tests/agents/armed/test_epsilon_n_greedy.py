"""EpsilonNGreedy in states that few rounds do not reach, and its share of exploration."""

import numpy as np
import pytest

from agents.armed.epsilon_n_greedy import EpsilonNGreedy
from banditgym.tasks import ArmedTask


def test_plays_the_largest_mean_in_any_state(play_states):
    play_states(EpsilonNGreedy(c=1e-300), lambda mean, pulls, t: mean, most=30)


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
