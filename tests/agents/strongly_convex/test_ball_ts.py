"""BallTS against the law that it samples."""

import math

import numpy as np
import pytest
from scipy import stats

import agents
from banditgym.action_sets import Sphere

RIDGE = 0.7


@pytest.mark.parametrize(
    ("given", "v", "scale"),
    [
        ({"scale": 0.8}, 0.8, 0.6),
        ({"scale": "theory", "delta": 0.2}, 0.3 * math.sqrt(9 * math.log(4 / 0.2)), 1.2),
        ({}, 0.3, 0.2),
    ],
    ids=["constant", "paper", "posterior"],
)
def test_ends_are_played_as_often_as_the_posterior_says(task_of, given, v, scale):
    """In one dimension P(x = r) = Phi(theta sqrt(V) / v).

    The test knows nothing of root or stream: 20 000 replicates, a two-sided exact binomial test at
    level 1e-6, 4.9 standard deviations; a width 5 % too large moves the share by 5.
    """
    n, radius = 20_000, 1.5
    agent = agents.BallTS(ridge=RIDGE, **given).reset(task_of(Sphere(1, radius)), n=n, seed=5)
    zeros, rewards = np.zeros(n, int), scale * np.array([0.9, 1.9, 0.7])
    for reward in rewards:
        agent.observe(zeros, np.full((n, 1), radius), np.full(n, reward))
    gram = RIDGE + 3 * radius**2
    theta = radius * rewards.sum() / gram
    p = stats.norm.cdf(theta * math.sqrt(gram) / v)
    assert 0.9 < p < 0.95
    played = int((agent.act(zeros) > 0).sum())
    assert stats.binomtest(played, n, p).pvalue > 1e-6


def test_every_decision_draws_a_sample_of_its_own_observed_or_not(task_of):
    agent = agents.BallTS().reset(task_of(Sphere(3)), n=2)
    first = agent.act([0, 0])
    agent.observe([0, 0], first, [np.nan, 0.0], observed=[False, True])
    second = agent.act([0, 0])
    assert np.abs(first - second).max(axis=1).min() > 1e-3
    again = agents.BallTS().reset(task_of(Sphere(3)), n=2)
    np.testing.assert_array_equal(first, again.act([0, 0]))
    np.testing.assert_array_equal(second[0], again.act([0, 0])[0])


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"scale": -1.0}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 0.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"noise_std": -0.1}, "noise_std"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BallTS(**given)
