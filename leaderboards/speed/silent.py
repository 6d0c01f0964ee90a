"""An agent that does nothing: what is left of a round's time is the way to it and back."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class Silent(Agent):
    """Always the first arm."""

    accepts: ClassVar = (LinearTask,)

    def _start(self) -> None:
        self._arms = np.zeros(self.n, np.int64)

    def act(self, observation: Any) -> np.ndarray:
        """The first arm, whatever is shown."""
        return self._arms

    def observe(self, observation: Any, action: Any, reward: Any, **more: Any) -> None:
        """Nothing."""
