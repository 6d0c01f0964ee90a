"""Wrappers for libraries of deep reinforcement learning."""

from typing import Any

import gymnasium
import numpy as np


def box_of(points: Any) -> gymnasium.spaces.Box:
    """The smallest Box, of float32, that contains a set of ``banditgym.action_sets``."""
    low = points.argmax(-np.eye(points.dim)).diagonal()
    return gymnasium.spaces.Box(
        low.astype(np.float32), points.extent.astype(np.float32), dtype=np.float32
    )


class BoxActions(gymnasium.ActionWrapper):
    """A set of points played through a Box: an action is the nearest point of the set.

    It is for libraries whose policies support no other continuous action space, such as
    stable-baselines3. The Box, of float32, is the smallest that contains the set.

    Parameters
    ----------
    env : gymnasium.Env
        An environment whose actions are points of a set, such as ``BallBandit-v0``.

    Examples
    --------
    >>> import banditgym, gymnasium
    >>> env = banditgym.BoxActions(gymnasium.make("BallBandit-v0", dim=2))
    >>> env.action_space
    Box(-1.0, 1.0, (2,), float32)
    """

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        points: Any = getattr(env.action_space, "action_set", None)
        if not hasattr(points, "project"):
            raise ValueError(f"BoxActions needs an environment of points, got {env.action_space}")
        self._points = points
        self.action_space = box_of(points)

    def action(self, action: Any) -> np.ndarray:
        """The nearest point (d,) of the set."""
        point = np.asarray(action, dtype=np.float64).reshape(1, -1)
        return self._points.project(point)[0]
