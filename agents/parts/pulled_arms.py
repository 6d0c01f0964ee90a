"""The base class of agents of K arms that keep the pulls and the rewards of each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.compiled import compiled
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class PulledArms(Agent):
    """An agent of K arms.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    """

    accepts: ClassVar = (ArmedTask,)

    def _start(self) -> None:
        self.pulls = np.zeros((self.n, self.task.n_arms), np.int64)
        self.sums = np.zeros((self.n, self.task.n_arms))
        self._t = np.zeros(self.n, np.int64)  # rewards learned

    def _learn(self, contexts, actions, reward, observed) -> None:
        _absorb(self.pulls, self.sums, self._t, actions, reward, observed)


@compiled
def _absorb(pulls, sums, t, arms, reward, observed):
    """Add the rewards (n,) of the arms (n,) to pulls, sums (n, K) and the round counter t (n,)."""
    for i in range(arms.shape[0]):
        if observed[i]:
            pulls[i, arms[i]] += 1
            sums[i, arms[i]] += reward[i]
            t[i] += 1
