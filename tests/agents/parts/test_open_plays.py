"""Open decisions: the largest arm that a file may hold, and memory that doubles."""

import gymnasium
import numpy as np

from agents.parts.open_plays import OpenPlays


def task(env, **settings):
    return gymnasium.make(env, **settings).unwrapped.task


def test_the_largest_arm_is_the_last_one_and_points_have_none():
    arms = OpenPlays.initial(task("ArmedBandit-v0", n_arms=4), 2)
    assert (arms.largest, arms.actions.shape, arms.contexts) == (3.0, (2, 1, 1), None)
    points = OpenPlays.initial(task("BallBandit-v0", dim=3), 2)
    assert (points.largest, points.actions.shape) == (np.inf, (2, 1, 3))
    shown = OpenPlays.initial(task("LinearBandit-v0", n_arms=4, dim=3), 2)
    assert shown.contexts.shape == (2, 1, 3, 4)


def test_room_doubles_where_a_replicate_has_none():
    plays = OpenPlays.initial(task("ArmedBandit-v0", n_arms=4), 2)
    assert not plays.any()
    for decision in range(5):
        plays.open(np.array([decision, decision]), np.array([1, 3]), None)
        assert plays.any()
    assert plays.number.shape == plays.actions.shape[:2] == (2, 8)
    assert np.sort(plays.number[0])[:5].tolist() == [0, 1, 2, 3, 4]
    assert plays.actions[plays.number < 5].ravel().tolist() == [1] * 5 + [3] * 5
