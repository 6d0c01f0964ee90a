"""A task in the library's terms: the spaces of an environment in which every round is an episode.

Spaces and observations are those of the environment in the form that the library takes: features
(K, d) of all arms, which its policies flatten; rows (d,), made dense; the number 0 where nothing is
shown. Points are played through the smallest Box that contains their set, as by
``banditgym.BoxActions``: for a point of the Box the nearest point of the set is played.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from agents.inputs.observations import Pairs
from banditgym.rounds.kinds import ARM, NOTHING
from banditgym.tasks import ConvexSetTask
from banditgym.wrappers import box_of


class Unplayed(gymnasium.Env):
    """An environment that only has spaces: rounds are played elsewhere."""

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Space):
        self.observation_space, self.action_space = observation_space, action_space

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """An observation that is not used."""
        super().reset(seed=seed)
        shape: Any = self.observation_space.shape
        return np.zeros(shape, self.observation_space.dtype), {}


def environment_of(task: Any) -> Unplayed:
    """The spaces of a task, as an environment."""
    if task.observes is NOTHING:
        observation: spaces.Space = spaces.Discrete(1)
    else:
        shape = (task.n_arms, task.dim) if task.per_arm else task.observes.shape(task)
        observation = spaces.Box(-np.inf, np.inf, shape, np.float64)
    if task.plays is ARM:
        return Unplayed(observation, spaces.Discrete(task.n_arms))
    return Unplayed(observation, box_of(task.action_set))


def observation_of(task: Any, contexts: np.ndarray | Pairs | None, i: int) -> np.ndarray:
    """The observation of replicate i, with a leading axis of length 1; a writable copy.

    Parameters
    ----------
    contexts : None, ndarray of shape (n, d, K), or a pair of indices and values (n, w)
        As agents get them.
    """
    if contexts is None:
        return np.zeros(1, np.int64)
    if isinstance(contexts, tuple):
        row = np.zeros((1, task.dim))
        np.add.at(row[0], contexts[0][i], contexts[1][i])  # the padding adds nothing
        return row
    return contexts[i].T.copy(order="C")[None]


def point_of(task: ConvexSetTask, action: np.ndarray) -> np.ndarray:
    """The point (d,), float64, that is played for an action (d,) of the Box."""
    return task.action_set.project(action.astype(np.float64)[None])[0]
