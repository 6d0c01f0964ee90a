"""The base class of agents of convex losses that keep the point to play next."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.tasks import LossTask


@dataclass(kw_only=True, eq=False)
class KeptPoint(Agent):
    """An agent of losses, which starts at 0.

    Attributes
    ----------
    point : ndarray of shape (n, d)
        The point to play next.
    """

    accepts: ClassVar = (LossTask,)

    def _start(self) -> None:
        self.point = np.zeros((self.n, self.task.dim))

    def _choose(self, contexts) -> np.ndarray:
        return self.point.copy()
