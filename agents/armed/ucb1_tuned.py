"""UCB1-Tuned: optimism with a bound on each arm's variance."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.pulled_arms import PulledArms
from banditgym.compiled import compiled
from banditgym.elementary import log


@dataclass(kw_only=True, eq=False)
class UCB1Tuned(PulledArms):
    r"""Play every arm once, then the one with the largest variance-aware upper confidence bound.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k before round :math:`t`,

    .. math::

        a_t = \arg\max_k \; \hat\mu_k
            + \sqrt{\frac{\log (t - 1)}{N_k} \min\Big(\frac14, V_k\Big)}, \qquad
        V_k = \hat\mu_k (1 - \hat\mu_k) + \sqrt{\frac{2 \log (t - 1)}{N_k}},

    where :math:`t - 1` is the number of plays so far and :math:`\hat\mu_k (1 - \hat\mu_k)` is the
    sample variance of rewards that are 0 or 1. A round costs O(K) per replicate; memory: 2 n K
    numbers. The paper proves no regret bound. Rewards must be Bernoulli. If others are observed,
    :math:`V_k` is above 1/4 for a mean outside [0, 1], so that the bonus is the largest possible.

    Its definition is ``tests/agents/definitions/armed/ucb1_tuned.py``.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and of successes of every arm.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time Analysis of the Multiarmed Bandit Problem.
    Machine Learning 47, 2002, section 4.
    """

    paper: ClassVar = "Auer et al. 2002, section 4"
    scope: ClassVar = "Bernoulli rewards"
    on_request: ClassVar = True

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not task.bernoulli:
            return "its variance bound is for Bernoulli rewards, and the task's are not Bernoulli"
        return reason

    def _choose(self, contexts) -> np.ndarray:
        arms = np.empty(self.n, np.int64)
        _ucb1_tuned(self.pulls, self.sums, self._t, arms)
        return arms


@compiled
def _ucb1_tuned(pulls, sums, t, arms):
    n, n_arms = pulls.shape
    for i in range(n):
        growth = log(max(t[i], 1))
        best, arms[i] = -math.inf, 0
        for k in range(n_arms):
            if pulls[i, k] == 0:
                arms[i] = k
                break
            mean = sums[i, k] / pulls[i, k]
            spread = mean * (1.0 - mean) if 0.0 <= mean <= 1.0 else 0.25
            variance = spread + math.sqrt(2.0 * growth / pulls[i, k])
            index = mean + math.sqrt(growth / pulls[i, k] * min(0.25, variance))
            if index > best:
                best, arms[i] = index, k
