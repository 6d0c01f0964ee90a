"""Means of arms, those that forget, and greedy play by them."""

import math

import numpy as np
import pytest

from agents.drivers.decisions import choose_each
from agents.parts.estimators.arm_means import ArmMeans

REWARDS = np.random.default_rng(0).normal(size=(30, 2))


def learned(rule):
    """The rewards (30, 2), of which replicate 0 has all, and replicate 1 every other one."""
    for t, reward in enumerate(REWARDS):
        rule.update(None, np.array([t % 3, 1]), reward, np.array([True, t % 2 == 0]))
    return rule


@pytest.mark.parametrize("start", [None, 5.0])
def test_means_of_all_rewards_whatever_the_start(start):
    mean = learned(ArmMeans.initial(2, 3, None, start)).mean
    first = math.inf if start is None else start
    expected = [[REWARDS[k::3, 0].mean() for k in range(3)], [first, REWARDS[::2, 1].mean(), first]]
    np.testing.assert_allclose(mean, expected, rtol=1e-13)


@pytest.mark.parametrize(("step", "start"), [(0.3, None), (0.3, -2.0), (1.0, 7.0)])
def test_a_step_forgets(step, start):
    rule = learned(ArmMeans.initial(2, 3, step, start))
    for k in range(3):
        first, *rest = REWARDS[k::3, 0]
        expected = first if start is None else (1 - step) * start + step * first
        for reward in rest:
            expected = (1 - step) * expected + step * reward
        assert abs(rule.mean[0, k] - expected) < 1e-13
    assert rule.pulls.tolist() == [[10, 10, 10], [0, 15, 0]]


def test_arms_without_rewards_come_first_and_then_the_largest_mean():
    rule = ArmMeans.initial(1, 3, None, None)
    for arm, reward in enumerate([1.0, 4.0, 4.0]):
        assert choose_each(rule, 1, None, None) == arm
        rule.update(None, np.array([arm]), np.array([reward]), np.array([True]))
    assert choose_each(rule, 1, None, None) == 1
    assert choose_each(rule, 1, None, np.array([[True, False, True]])) == 2
    estimates, variances = rule.predict(None)
    np.testing.assert_array_equal(estimates, [[1.0, 4.0, 4.0]])
    np.testing.assert_array_equal(variances, [[0.0, 0.0, 0.0]])
