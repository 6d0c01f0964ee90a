"""UCB1-Tuned: optimism with a bound on each arm's variance."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.bounded_arms import BernoulliArms
from banditgym.elementary import log


@dataclass(kw_only=True, eq=False)
class UCB1Tuned(BernoulliArms):
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
    needs_bernoulli: ClassVar = "its variance bound is for Bernoulli rewards"
    on_request: ClassVar = True

    def _rule(self, rounds: int) -> "UCB1TunedRule":
        return UCB1TunedRule(self.pulls, self.sums, self._t)


class UCB1TunedRule(NamedTuple):
    """The rule of ``UCB1Tuned``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray


@choose.of(UCB1TunedRule)
def _choose(rule, i, t, contexts, mask):
    growth = log(max(rule.t[i], 1))
    return largest_index(rule, i, mask, growth)


@index.of(UCB1TunedRule)
def _index(rule, i, k, pulls, growth):
    mean = rule.sums[i, k] / pulls
    spread = mean * (1.0 - mean) if 0.0 <= mean <= 1.0 else 0.25
    variance = spread + math.sqrt(2.0 * growth / pulls)
    return mean + math.sqrt(growth / pulls * min(0.25, variance))


learn.of(UCB1TunedRule)(count_pull)
