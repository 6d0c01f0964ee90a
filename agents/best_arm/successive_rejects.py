"""Successive rejects: the budget in phases, each of which rejects one arm."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.parts.best_arm_agent import FixedBudget, count


@dataclass(kw_only=True, eq=False)
class SuccessiveRejects(FixedBudget):
    r"""Pull all remaining arms equally often in each phase, then reject the worst of them.

    At the end of phase k = 1, .., K - 1, every remaining arm has been pulled

    .. math:: n_k = \left\lceil \frac{1}{\overline{\log}(K)} \frac{T - K}{K + 1 - k} \right\rceil,
        \qquad \overline{\log}(K) = \frac12 + \sum_{i=2}^{K} \frac1i

    times, and the one with the smallest mean reward is rejected, of equal ones the last. Within a
    phase the arms are pulled one after the other. The last arm is recommended, and played in the
    rounds that are left; before that, the remaining arm with the largest mean reward is. For
    rewards of any kind: nothing is scaled. A round costs O(K) per replicate; memory: 3 n K numbers.

    Its definition is ``tests/agents/definitions/best_arm/successive_rejects.py``.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    still : bool ndarray of shape (n, K)
        The remaining arms.

    Notes
    -----
    The paper was not at hand. The phases are those of BestArm.jl and Evarin/BestArmIdentification.
    Those of banditpylib are the same but for the last: it plays the two last arms in all rounds
    that are left. Of equal arms, BestArm.jl rejects the first, and the second code one at random.

    Departs from the paper: rewards that come late, or of arms that others played, count as pulls.

    References
    ----------
    J.-Y. Audibert, S. Bubeck, R. Munos. Best Arm Identification in Multi-Armed Bandits. COLT 2010,
    Figure 3.
    """

    paper: ClassVar = "Audibert et al. 2010, Figure 3"
    search: ClassVar = None
    scope: ClassVar = "best arm, given rounds"

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.horizon <= task.n_arms > 1:
            return f"it needs more rounds than arms, and there are {task.horizon}"
        return reason

    def _start(self) -> None:
        super()._start()
        n_arms, every = self.task.n_arms, np.arange(2, self.task.n_arms + 1)
        share = (self.task.horizon - n_arms) / (0.5 + sum((1.0 / every).tolist()))
        self._ends = np.ceil(share / np.arange(n_arms, 1, -1)).astype(np.int64)  # n_k

    def _rule(self, rounds: int) -> "SuccessiveRejectsRule":
        return SuccessiveRejectsRule(self.pulls, self.sums, self._t, self.still, self._ends)


class SuccessiveRejectsRule(NamedTuple):
    """The rule of ``SuccessiveRejects``; ``ends`` (K - 1,) are the pulls of an arm by phase."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    still: np.ndarray
    ends: np.ndarray


@choose.of(SuccessiveRejectsRule)
def _choose(rule, i, t, contexts, mask):
    phase = rule.still.shape[1] - np.sum(rule.still[i])
    last = 0
    for k in range(rule.still.shape[1]):
        if rule.still[i, k]:
            last = k
            if phase < rule.ends.shape[0] and rule.pulls[i, k] < rule.ends[phase]:
                return k
    return last


@learn.of(SuccessiveRejectsRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    for phase in range(rule.still.shape[1] - np.sum(rule.still[i]), rule.ends.shape[0]):
        worst = -1
        for k in range(rule.still.shape[1]):
            if not rule.still[i, k]:
                continue
            if rule.pulls[i, k] < rule.ends[phase]:
                return True
            mean = rule.sums[i, k] / rule.pulls[i, k]
            if worst < 0 or mean <= rule.sums[i, worst] / rule.pulls[i, worst]:
                worst = k
        rule.still[i, worst] = False
    return True
