"""Exploration of K arms in turn, and then the best one for ever."""

from typing import NamedTuple

import numpy as np

from agents.drivers.pulls import mean_rewards
from agents.drivers.rule import choose, learn, withdrawn


class CommittedArms(NamedTuple):
    """What n replicates know of K arms: the first ``cycles`` rewards of each, and no others.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number and sum of these rewards.
    cycles : int
    """

    pulls: np.ndarray
    sums: np.ndarray
    cycles: int

    @classmethod
    def initial(cls, n: int, n_arms: int, cycles: int) -> "CommittedArms":
        """No rewards."""
        return cls(np.zeros((n, n_arms), np.int64), np.zeros((n, n_arms)), cycles)

    def estimate(self, arms: np.ndarray) -> np.ndarray:
        """The mean rewards (n,) of arms (n,), NaN where there is none."""
        return mean_rewards(self.pulls, self.sums, arms)


@choose.of(CommittedArms)
def _choose(rule, i, t, contexts, mask):
    fewest, best = -1, -1
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        if fewest < 0 or rule.pulls[i, k] < rule.pulls[i, fewest]:
            fewest = k
        # Means of equally many rewards are in the order of the sums.
        if best < 0 or rule.sums[i, k] > rule.sums[i, best]:
            best = k
    return fewest if rule.pulls[i, fewest] < rule.cycles else best


@learn.of(CommittedArms)
def _learn(rule, i, contexts, arm, reward):
    if rule.pulls[i, arm] < rule.cycles:
        rule.pulls[i, arm] += 1
        rule.sums[i, arm] += reward
    return True
