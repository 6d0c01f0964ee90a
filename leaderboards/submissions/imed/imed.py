"""IMED: the arm whose inferiority is least certain."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import agents
from banditgym.compiled import compiled
from banditgym.elementary import log
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class IMED(agents.Agent):
    r"""Play every arm once, then the one with the smallest index.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k, and
    :math:`\hat\mu^* = \max_j \hat\mu_j`,

    .. math:: a_t = \arg\min_k \; N_k \, d(\hat\mu_k, \hat\mu^*) + \log N_k, \qquad
        d(p, q) = p \log \frac{p}{q} + (1 - p) \log \frac{1 - p}{1 - q}.

    :math:`\exp(-N_k d)` is how likely the data of arm k are if it is the best. A round costs O(K)
    per replicate; memory: 2 n K numbers. Ties go to the lowest arm.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls, int64, and sum of rewards of every arm.

    References
    ----------
    J. Honda, A. Takemura. Non-asymptotic analysis of a new bandit algorithm for semi-bounded
    rewards. Journal of Machine Learning Research 16, 2015, Algorithm 1.
    """

    accepts: ClassVar = (ArmedTask,)
    paper: ClassVar = "Honda, Takemura 2015"

    def refusal(self, task):
        """Its divergence is that of Bernoulli rewards."""
        reason = super().refusal(task)
        if reason is not None or task.bernoulli:
            return reason
        return "it needs Bernoulli rewards"

    def _start(self):
        shape = (self.n, self.task.n_arms)
        self.pulls, self.sums = np.zeros(shape, np.int64), np.zeros(shape)

    def _choose(self, contexts):
        arms = np.empty(self.n, np.int64)
        _imed(self.pulls, self.sums, arms)
        return arms

    def _learn(self, contexts, actions, reward, observed):
        for i in np.flatnonzero(observed):
            self.pulls[i, actions[i]] += 1
            self.sums[i, actions[i]] += reward[i]


@compiled
def _imed(pulls, sums, arms):
    n, n_arms = pulls.shape
    for i in range(n):
        best = 0.0
        for k in range(n_arms):
            if pulls[i, k] > 0:
                best = max(best, sums[i, k] / pulls[i, k])
        least = math.inf
        for k in range(n_arms):
            if pulls[i, k] == 0:
                arms[i] = k
                break
            p = sums[i, k] / pulls[i, k]
            divergence = 0.0  # the terms of p = 0 and p = 1 are 0, and q = 1 leaves no other p
            if p < best:
                divergence += p * log(p / best) if p > 0.0 else 0.0
                divergence += (1.0 - p) * log((1.0 - p) / (1.0 - best)) if best < 1.0 else math.inf
            index = pulls[i, k] * divergence + log(float(pulls[i, k]))
            if index < least:
                least, arms[i] = index, k
