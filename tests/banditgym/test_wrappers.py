"""Points played through a Box."""

import gymnasium
import numpy as np
import pytest

import banditgym


def test_a_box_action_is_the_nearest_point():
    env = banditgym.BoxActions(gymnasium.make("EllipsoidBandit-v0", axes=[0.5, 2.0],
                                              orientation="identity"))  # fmt: skip
    np.testing.assert_array_equal(env.action_space.high, np.float32([0.5, 2.0]))
    np.testing.assert_array_equal(env.action_space.low, np.float32([-0.5, -2.0]))
    np.testing.assert_array_equal(env.action(np.float32([0.25, 0.5])), [0.25, 0.5])
    np.testing.assert_allclose(env.action(np.float32([0.0, 9.0])), [0.0, 2.0])
    with pytest.raises(ValueError, match="needs an environment of points"):
        banditgym.BoxActions(gymnasium.make("ArmedBandit-v0"))
