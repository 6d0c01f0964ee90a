"""Estimates of the mean rewards of K arms, and greedy play by them."""

import math
from typing import NamedTuple

import numpy as np

from agents.drivers.decisions import learn_each
from agents.drivers.rule import choose, first_largest_there, learn


class ArmMeans(NamedTuple):
    """The estimates of n replicates: the mean of an arm's rewards, or one that forgets.

    With a ``step``, a reward r moves the estimate of its arm by this share of r minus the estimate;
    one that is infinite, as at first without a start, becomes r.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    mean : ndarray of shape (n, K)
        The estimates.
    step : float
        0 if there is none.
    """

    pulls: np.ndarray
    sums: np.ndarray
    mean: np.ndarray
    step: float

    @classmethod
    def initial(cls, n: int, n_arms: int, step: float | None, start: float | None) -> "ArmMeans":
        """No pulls, and estimates that are all ``start``, or larger than any reward if None."""
        pulls, sums = np.zeros((n, n_arms), np.int64), np.zeros((n, n_arms))
        first = np.full((n, n_arms), math.inf if start is None else float(start))
        return cls(pulls, sums, first, 0.0 if step is None else float(step))

    def predict(self, contexts: None) -> tuple[np.ndarray, np.ndarray]:
        """Estimates and variances (n, K), which are 0, as those of regressions."""
        return self.mean, np.zeros(self.mean.shape)

    def update(
        self, contexts: None, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of arms (n,) where observed (n,)."""
        learn_each(self, contexts, arms, reward, observed)


@choose.of(ArmMeans)
def _choose(rule, i, t, contexts, mask):
    return first_largest_there(rule.mean[i], mask, i)


@learn.of(ArmMeans)
def _learn(rule, i, contexts, arm, reward):
    rule.pulls[i, arm] += 1
    rule.sums[i, arm] += reward
    if rule.step == 0.0:
        rule.mean[i, arm] = rule.sums[i, arm] / rule.pulls[i, arm]
    elif math.isinf(rule.mean[i, arm]):
        rule.mean[i, arm] = reward
    else:
        rule.mean[i, arm] += rule.step * (reward - rule.mean[i, arm])
    return True
