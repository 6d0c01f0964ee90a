"""The three parts of a round: its observation, its action, and its feedback.

A task names the three as ``observes``, ``plays`` and ``reveals``. There is one object of each kind,
compared by identity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class _Kind:
    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Observes(_Kind):
    """The observation of a round.

    Parameters
    ----------
    name : str
    shape : callable
        Shape of the features of one replicate, given the task.
    """

    shape: Callable[[Any], tuple[int, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class Plays(_Kind):
    """The action of a round.

    Parameters
    ----------
    name : str
    dtype : numpy dtype
        Type of actions as arrays.
    each : callable
        Shape of one replicate's action, given the task.
    """

    dtype: np.dtype
    each: Callable[[Any], tuple[int, ...]]

    def shape(self, task: Any, n: int | None = None) -> tuple[int, ...]:
        """Shape of the actions of n replicates, or of a solo agent's action."""
        return self.each(task) if n is None else (n, *self.each(task))


class Reveals(_Kind):
    """The feedback after a round."""


NOTHING = Observes("nothing", lambda task: ())
ARMS = Observes("arms", lambda task: (task.n_arms, task.dim))  # features of every arm
CONTEXT = Observes("context", lambda task: (task.context_dim,))  # features that all arms share
# Features of slots, with a mask and the ids of their arms.
SLOTS = Observes("slots", lambda task: (task.n_arms, task.dim))
ROW = Observes("row", lambda task: (task.dim,))  # features of one case
PAIRS = Observes("pairs", lambda task: (task.dim,))  # those that are not 0, each with its index

_WHOLE, _REAL = np.dtype(np.int64), np.dtype(np.float64)
ARM = Plays("arm", _WHOLE, lambda task: ())  # a label too
RANKING = Plays("ranking", _WHOLE, lambda task: (task.slots,))  # distinct labels
NUMBER = Plays("number", _REAL, lambda task: ())  # a prediction
POINT = Plays("point", _REAL, lambda task: (task.dim,))  # of a set

REWARD = Reveals("reward")
OUTCOME = Reveals("outcome")  # the number to predict
LOSS = Reveals("loss")  # the loss with its gradient and curvature at the point
