"""Sequential halving: the budget in phases, each of which rejects half of the arms."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.parts.best_arm_agent import FixedBudget, count


@dataclass(kw_only=True, eq=False)
class SequentialHalving(FixedBudget):
    r"""Pull all remaining arms equally often in each phase, then reject the worse half of them.

    In phase r = 0, .., :math:`\lceil \log_2 K \rceil - 1`, every arm of the remaining ones,
    :math:`S_r`, is pulled

    .. math:: t_r = \left\lfloor \frac{T}{|S_r| \lceil \log_2 K \rceil} \right\rfloor

    times. The :math:`\lceil |S_r| / 2 \rceil` arms with the largest mean rewards of the phase
    remain, of equal ones the first. The last arm is recommended, and played in the rounds that are
    left; before that, the remaining arm with the largest mean reward of all phases is. For rewards
    of any kind: nothing is scaled. A round costs O(K), the end of a phase O(K²), per replicate;
    memory: 5 n K numbers.

    Its definition is ``tests/agents/definitions/best_arm/sequential_halving.py``.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    fresh_pulls : ndarray of shape (n, K)
    fresh_sums : ndarray of shape (n, K)
        The same, of the phase.
    still : bool ndarray of shape (n, K)
        The remaining arms.

    Notes
    -----
    Departs from the paper: rewards that come late, or of arms that others played, count as pulls of
    the phase in which they come.

    The floor leaves some rounds. The paper does not use them either. banditpylib, which forgets the
    earlier phases too, plays the two last arms in all rounds that are left.

    References
    ----------
    Z. Karnin, T. Koren, O. Somekh. Almost Optimal Exploration in Multi-Armed Bandits. ICML 2013,
    Algorithm 1.
    """

    paper: ClassVar = "Karnin et al. 2013, Algorithm 1"
    search: ClassVar = None
    scope: ClassVar = "best arm, given rounds"

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        least = task.n_arms * _phases(task.n_arms) if reason is None else 0
        if reason is None and task.horizon < least:
            return f"it needs {least} rounds or more, and there are {task.horizon}"
        return reason

    def _start(self) -> None:
        super()._start()
        self.fresh_pulls, self.fresh_sums = np.zeros_like(self.pulls), np.zeros_like(self.sums)

    def _rule(self, rounds: int) -> "SequentialHalvingRule":
        fresh, budget = (self.fresh_pulls, self.fresh_sums), self.task.horizon
        share = budget // max(_phases(self.task.n_arms), 1)  # floor(floor(a / b) / c) is a / (b c)
        return SequentialHalvingRule(self.pulls, self.sums, self._t, *fresh, self.still, share)


class SequentialHalvingRule(NamedTuple):
    """The rule of ``SequentialHalving``; a phase has ``share`` rounds at most."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    fresh_pulls: np.ndarray
    fresh_sums: np.ndarray
    still: np.ndarray
    share: int


@choose.of(SequentialHalvingRule)
def _choose(rule, i, t, contexts, mask):
    each, last = rule.share // np.sum(rule.still[i]), 0
    for k in range(rule.still.shape[1]):
        if rule.still[i, k]:
            last = k
            if rule.fresh_pulls[i, k] < each:
                return k
    return last


@learn.of(SequentialHalvingRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    rule.fresh_pulls[i, arm] += 1
    rule.fresh_sums[i, arm] += reward
    remaining = np.sum(rule.still[i])
    for k in range(rule.still.shape[1]):
        if rule.still[i, k] and rule.fresh_pulls[i, k] < rule.share // remaining:
            return True
    for _ in range(remaining // 2):
        worst, least = -1, math.inf
        for k in range(rule.still.shape[1]):
            if rule.still[i, k] and rule.fresh_sums[i, k] / rule.fresh_pulls[i, k] <= least:
                worst, least = k, rule.fresh_sums[i, k] / rule.fresh_pulls[i, k]
        rule.still[i, worst] = False
    for k in range(rule.still.shape[1]):
        rule.fresh_pulls[i, k], rule.fresh_sums[i, k] = 0, 0.0
    return True


def _phases(n_arms: int) -> int:
    """The logarithm of the number of arms to base 2, rounded up."""
    return (n_arms - 1).bit_length()
