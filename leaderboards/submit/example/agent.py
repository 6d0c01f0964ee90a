"""An example agent: epsilon-greedy on a ridge estimate, for linear bandits."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import agents
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class MyAgent(agents.ScalarAgent):
    """Plays the arm with the highest estimate; with probability ``epsilon``, a random arm.

    Parameters
    ----------
    epsilon : float
        Probability of exploring, in [0, 1].
    ridge : float
        Regularisation of the estimate, > 0.
    """

    accepts: ClassVar = (LinearTask,)

    epsilon: float = 0.05
    ridge: float = 1.0

    def __post_init__(self):
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must lie in [0, 1], got {self.epsilon}")
        if not self.ridge > 0:
            raise ValueError(f"ridge must be > 0, got {self.ridge}")

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        """Start one replicate; all random numbers come from ``rng``."""
        self.rng = rng
        self.gram = self.ridge * np.eye(task.dim)
        self.total = np.zeros(task.dim)

    def choose(self, contexts: Any) -> int:
        """An arm, given the features (K, d) of all arms."""
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(contexts)))
        return int(np.argmax(contexts @ np.linalg.solve(self.gram, self.total)))

    def learn(self, contexts: Any, arm: int, reward: float) -> None:
        """Learn from an arm's reward."""
        self.gram += np.outer(contexts[arm], contexts[arm])
        self.total += reward * contexts[arm]
