"""The base class of agents of K arms that keep the pulls and the rewards of each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.decisions import RuleAgent
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class PulledArms(RuleAgent):
    """An agent of K arms that estimates an arm's mean reward as ``sums / pulls``.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    """

    accepts: ClassVar = (ArmedTask,)
    follows_masks: ClassVar = True

    def _start(self) -> None:
        self.pulls = np.zeros((self.n, self.task.n_arms), np.int64)
        self.sums = np.zeros((self.n, self.task.n_arms))
        self._t = np.zeros(self.n, np.int64)  # rewards learned

    def _estimate(self, contexts, actions) -> np.ndarray:
        each = np.arange(self.n)
        pulls, unknown = self.pulls[each, actions], np.full(self.n, np.nan)
        return np.divide(self.sums[each, actions], pulls, out=unknown, where=pulls > 0)


def count_pull(rule, i, contexts, arm, reward):
    """``agents.drivers.rule.learn`` of rules with the fields ``pulls``, ``sums`` and ``t``."""
    rule.pulls[i, arm] += 1
    rule.sums[i, arm] += reward
    rule.t[i] += 1
    return True
