"""An agent that does nothing, so that a round's time is that of the messages."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from agents.agent import Agent
from agents.inputs.observations import Observation
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class Silent(Agent):
    """Always plays the first arm."""

    accepts: ClassVar = (LinearTask,)

    def _start(self) -> None:
        self._arms = np.zeros(self.n, np.int64)

    def act(self, observation: Observation) -> np.ndarray:
        """The first arm, for any observation."""
        return self._arms

    def observe(
        self, observation: Observation, action: ArrayLike, reward: ArrayLike, **more: Any
    ) -> None:
        """Nothing."""
