"""The base class of agents of K arms that keep the pulls and the rewards of each."""

from dataclasses import dataclass
from typing import ClassVar

from agents.agent import Agent
from agents.numerics.pull_counts import absorb, initial
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
        self.pulls, self.sums, self._t = initial(self.n, self.task.n_arms)

    def _learn(self, contexts, actions, reward, observed) -> None:
        absorb(self.pulls, self.sums, self._t, actions, reward, observed)
