"""IDS: what it plays in small cases, and what it refuses."""

import gymnasium
import numpy as np
import pytest

import agents


def _reset(n=1, n_arms=3, **given):
    task = gymnasium.make("LinearBandit-v0", n_arms=n_arms, dim=2).unwrapped.task
    return agents.IDS(**given).reset(task, n=n, seed=3)


@pytest.mark.parametrize("deterministic", [False, True])
def test_an_arm_that_is_surely_best_is_played(deterministic):
    agent = _reset(gaps="difference", radius=0.001, deterministic=deterministic)
    x = np.array([[[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]]])
    for arm, reward in ((0, 1.0), (1, 0.0), (2, 0.6)) * 20:
        agent.observe(x, [arm], [reward])
    assert agent.act(x) == [0]


@pytest.mark.parametrize("gaps", ["difference", "value"])
@pytest.mark.parametrize("information", ["full", "directed"])
@pytest.mark.parametrize("deterministic", [False, True])
def test_arms_without_features_are_played_if_there_are_no_others(gaps, information, deterministic):
    agent = _reset(gaps=gaps, information=information, deterministic=deterministic)
    assert agent.act(np.zeros((1, 3, 2))) == [0]


def test_pairs_are_drawn_with_the_share_of_the_least_ratio():
    """Arm 0 was played 300 times for a reward of 1, arm 1 never: Delta and I give p, by formula.

    The count of arm 1 in 20 000 replicates is within five standard deviations of 20 000 p.
    """
    n = 20_000
    agent = _reset(n=n, n_arms=2, gaps="value", radius=1.5)
    x = np.tile([[1.0, 0.0], [0.0, 1.0]], (n, 1, 1))
    for _ in range(300):
        agent.observe(x, np.zeros(n, int), np.ones(n))
    mean, variance = 300 / 301, np.array([1 / 301, 1.0])
    gap = max(mean + 1.5 * np.sqrt(variance[0]), 1.5) - np.array([mean, 0.0])
    information = np.log1p(variance)
    p = gap[0] / (gap[1] - gap[0]) - 2 * information[0] / (information[1] - information[0])
    assert 0.1 < p < 0.9
    deviation = np.sqrt(n * p * (1 - p))
    np.testing.assert_allclose(agent.propensities(x), np.tile([1 - p, p], (n, 1)), atol=1e-12)
    assert abs(agent.act(x).sum() - n * p) < 5 * deviation


def test_of_equal_gaps_the_most_informative_arm_is_played():
    agent = _reset(gaps="value")
    x = np.array([[[0.3, 0.0], [0.0, 0.9], [0.5, 0.0]]])
    np.testing.assert_array_equal(agent.propensities(x), [[0.0, 1.0, 0.0]])


def test_an_arm_without_a_gap_is_played_though_others_are_informative():
    """Its ratio is 0, without information too; that of arm 1 is below 0.1."""
    agent = _reset(gaps="value", radius=0.1, deterministic=True)
    x = np.array([[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]])
    agent.observe(x, [1], [-0.5])
    assert agent.act(x) == [0]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"gaps": "upper"}, "gaps"),
        ({"information": "none"}, "information"),
        ({"deterministic": 1}, "deterministic"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 1.0}, "delta"),
        ({"radius": -1.0}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.IDS(**given)
