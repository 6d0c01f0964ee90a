"""What rules of K arms share that keep pulls and rewards: how they count, and the largest index."""

import numpy as np

from agents.drivers.rule import withdrawn
from banditgym.compiled import by_class, inlined


def count_pull(rule, i, contexts, arm, reward):
    """``agents.drivers.rule.learn`` of rules with the fields ``pulls``, ``sums`` and ``t``."""
    rule.pulls[i, arm] += 1
    rule.sums[i, arm] += reward
    rule.t[i] += 1
    return True


count = inlined(count_pull)  # as a rule's own ``learn`` calls it


def mean_rewards(pulls: np.ndarray, sums: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """The mean rewards (n,) of arms (n,), by pulls and sums (n, K); NaN where there is none."""
    each = np.arange(len(arms))
    count, unknown = pulls[each, arms], np.full(len(arms), np.nan)
    return np.divide(sums[each, arms], count, out=unknown, where=count > 0)


@by_class
def index(rule, i, k, pulls, level):
    """The index of arm k of replicate i, which was pulled; ``level`` is what all its arms share."""


@inlined
def largest_index(rule, i, mask, level):
    """The first arm without a pull, else that of the largest index; ties go to the lowest."""
    best = arm = -1  # no arm so far
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        pulls = rule.pulls[i, k]
        if pulls == 0:
            return k
        value = index(rule, i, k, pulls, level)
        if arm < 0 or value > best:
            best, arm = value, k
    return arm
