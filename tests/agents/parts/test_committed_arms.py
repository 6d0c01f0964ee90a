"""Arms explored in turn: which rewards count, and when the best one is played for ever."""

import numpy as np

from agents.drivers.decisions import choose_each, learn_each
from agents.parts.committed_arms import CommittedArms


def chosen(rule, mask=None):
    return choose_each(rule, len(rule.pulls), None, mask).tolist()


def learned(rule, arms, rewards, observed=None):
    n = len(rule.pulls)
    observed = np.ones(n, bool) if observed is None else np.array(observed)
    learn_each(rule, None, np.array(arms), np.array(rewards), observed)


def test_arms_are_played_in_turn_and_then_the_best():
    rule, rewards = CommittedArms.initial(2, 3, 2), np.array([[-5.0, -3.0, -3.0], [0, 2, 4]])
    for t in range(6):
        assert chosen(rule) == [t % 3] * 2
        learned(rule, [t % 3] * 2, rewards[:, t % 3])
    for _ in range(4):
        assert chosen(rule) == [1, 2]  # of equal arms, the first
        learned(rule, [1, 2], [-1e9, -1e9])  # rewards afterwards do not count
    np.testing.assert_array_equal(rule.sums, 2 * rewards)
    np.testing.assert_array_equal(rule.pulls, [[2, 2, 2]] * 2)


def test_rewards_that_come_late_are_waited_for():
    rule = CommittedArms.initial(2, 2, 1)
    assert chosen(rule) == chosen(rule) == [0, 0]
    learned(rule, [0, 0], [3.0, 3.0], [True, False])
    assert chosen(rule) == [1, 0]
    np.testing.assert_array_equal(rule.estimate(np.array([0, 0])), [3.0, np.nan])
    np.testing.assert_array_equal(rule.estimate(np.array([1, 1])), [np.nan, np.nan])


def test_means_are_estimated():
    rule = CommittedArms.initial(1, 2, 4)
    for reward in (1.0, 4.0, 4.0):
        learned(rule, [1], [reward])
    assert rule.estimate(np.array([1])).tolist() == [3.0]


def test_only_available_arms_are_played():
    rule = CommittedArms.initial(2, 3, 1)
    mask = np.array([[False, True, True], [True, False, False]])
    assert chosen(rule, mask) == [1, 0]
    for arm, reward in enumerate([9.0, 1.0, 2.0]):
        learned(rule, [arm, arm], [reward, reward])
    assert chosen(rule, mask) == [2, 0]
    assert chosen(rule) == [0, 0]


def test_an_arm_that_is_away_is_not_the_best():
    rule = CommittedArms.initial(1, 3, 1)
    for arm, reward in enumerate([1.0, 9.0, 2.0]):
        learned(rule, [arm], [reward])
    assert chosen(rule, np.array([[True, False, True]])) == [2]
    assert chosen(rule, np.array([[True, False, False]])) == [0]
