"""Exponential weights against their formula, at usual and at extreme losses."""

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask

FACTS = {"horizon": 10**4, "noise_std": None, "subgaussian": 0.5, "bernoulli": True}
WEIGHTED = ("EXP3", "EXP3IX")


def probabilities(name, losses, t=0, scale=1.0):
    """Of the next decision, once t rewards have been learned."""
    agent = getattr(agents, name)(scale=scale).reset(ArmedTask(n_arms=len(losses), **FACTS), n=1)
    agent.losses[0], agent._t[0] = losses, t
    agent.act([0])
    return agent.open.kept[0, 0]


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("t", [0, 1, 10**6])
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_probabilities_are_those_of_the_formula(name, t, scale):
    losses = np.array([3.0, 1.5, 900.0, 2.0, 1e-3])
    weights = np.exp(-scale * np.sqrt(np.log(5) / (5 * (t + 1))) * losses)
    np.testing.assert_allclose(
        probabilities(name, losses, t, scale), weights / weights.sum(), rtol=1e-13, atol=1e-300
    )


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_number_added_to_all_losses_changes_nothing(name):
    losses = np.arange(6.0)
    np.testing.assert_array_equal(
        probabilities(name, losses + 2.0**40), probabilities(name, losses)
    )


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([7.0], [1]),
        ([1e300], [1]),
        ([1e300, 1e300, 1e300, 1e300], [0.25] * 4),
        ([1e300, 0.0, 1e20, 0.0], [0, 0.5, 0, 0.5]),
        ([-1e300, 0.0, 5.0], [1, 0, 0]),
        ([0.0] * 1000, [0.001] * 1000),
    ],
)
def test_extreme_losses_leave_probabilities_that_sum_to_1(name, losses, expected):
    for scale in (1e-6, 1.0, 1e150):
        got = probabilities(name, np.array(losses), 50, scale)
        np.testing.assert_allclose(got, expected, rtol=1e-12)
