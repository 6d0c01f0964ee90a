"""UCB1Tuned in states that few rounds do not reach."""

import math

import numpy as np
import pytest

from agents.armed.ucb1_tuned import UCB1Tuned
from banditgym.tasks import ArmedTask


def index(mean, pulls, t):
    """The index of the paper; a mean outside of [0, 1] has the largest variance there is."""
    growth = np.log(t) / pulls
    variance = np.where((mean < 0) | (mean > 1), 0.25, mean - mean**2)
    return mean + np.sqrt(growth * np.minimum(0.25, variance + np.sqrt(2 * growth)))


@pytest.mark.parametrize("shift", [0.0, 2.0, -2.0])
@pytest.mark.parametrize("most", [300, 30_000])
def test_plays_the_largest_upper_bound_in_any_state(shift, most, play_states):
    """With up to 30,000 pulls of an arm the bound on the variance is that of the sample."""

    def shifted(mean, pulls, t):
        agent.sums += shift * pulls
        return index(agent.sums / pulls, pulls, t)

    agent = UCB1Tuned()
    play_states(agent, shifted, most=most)


def test_the_bound_on_the_variance_counts():
    """At a mean of 0 after 10,000 pulls it is below 1/4, and the arm is not the next one."""
    task = ArmedTask(n_arms=2, horizon=10**5, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = UCB1Tuned().reset(task)
    agent.pulls[:], agent.sums[:], agent._t[:] = [[10_000, 10_000]], [[0.0, 200.0]], 20_000
    assert agent.act(0) == 1
    agent.pulls[:], agent.sums[:] = [[3_000, 10_000]], [[0.0, 100.0]]
    growth = math.log(20_000)
    variance = math.sqrt(2 * growth / 3_000)
    assert variance < 0.25
    assert math.sqrt(growth / 3_000 * variance) < 0.02 < math.sqrt(growth / 3_000 / 4)
    assert agent.act(0) == 1  # with 1/4 it would be 0


def test_rewards_that_are_not_bernoulli_are_refused():
    task = ArmedTask(n_arms=2, horizon=9, noise_std=0.5, subgaussian=0.5, bernoulli=False)
    assert "not Bernoulli" in UCB1Tuned().refusal(task)
    with pytest.raises(ValueError, match="not Bernoulli"):
        UCB1Tuned().reset(task)
