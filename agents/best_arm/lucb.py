"""LUCB: pulls the arm that looks best and the one that could be better, until the bounds part."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.transport_costs import best_mean
from agents.parts.best_arm_agent import FixedConfidence, count
from banditgym.elementary import log
from banditgym.validation import positive


@dataclass(kw_only=True, eq=False)
class LUCB(FixedConfidence):
    r"""Pull the arm that looks best and the one that may be better, and stop when none may be.

    Every arm is pulled once. Then, with :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm
    k and t rewards of all arms, pull h and then l of

    .. math::
        h = \arg\max_k \hat\mu_k, \qquad l = \arg\max_{k \ne h} \hat\mu_k + \beta_k, \qquad
        \beta_k = R \sqrt{\frac{2}{N_k} \log \frac{5 K t^4}{4 \delta}},

    and stop, recommending h, as soon as :math:`\hat\mu_l + \beta_l < \hat\mu_h - \beta_h`. This is
    looked at after every pair of rewards. For rewards in [0, 1], R = 1/2 and :math:`\beta` is the
    paper's. A round costs O(K) per replicate; memory: 2 n K numbers.

    Its definition is ``tests/agents/definitions/best_arm/lucb.py``.

    Parameters
    ----------
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None. If it is
        less than that, more than :math:`\delta` of the runs may err.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    done : bool ndarray of shape (n,)
        Which replicates have finished.

    Notes
    -----
    LUCB1 of the paper, with one arm to find and no tolerance. The paper was not at hand. Bounds,
    with 5/4 and the fourth power, and stopping rule are those of a public code of LUCB1
    (Evarin/BestArmIdentification), whose t counts pairs. Here t counts single rewards, as in E.
    Kaufmann's code of KL-LUCB: the bounds are wider and as safe, and runs end later, in a
    comparison on four problems by a tenth.

    Departs from the paper: the bounds are scaled by R. Of a pair, the second arm is pulled once a
    reward of any arm has come.

    References
    ----------
    S. Kalyanakrishnan, A. Tewari, P. Auer, P. Stone. PAC Subset Selection in Stochastic Multi-armed
    Bandits. ICML 2012.
    """

    paper: ClassVar = "Kalyanakrishnan et al. 2012, LUCB1"
    search: ClassVar = None
    scope: ClassVar = "best arm, given confidence"

    def __post_init__(self):
        if self.noise_std is not None:
            positive("noise_std", self.noise_std)

    def _start(self) -> None:
        super()._start()
        self._pair = np.zeros((self.n, 2), np.int64)  # h and l
        self._owed = np.zeros(self.n, np.int64)  # how many rewards of the pair are to come

    def _rule(self, rounds: int) -> "LUCBRule":
        counts, pair = (self.pulls, self.sums, self._t), (self._pair, self._owed)
        return LUCBRule(*counts, *pair, self.done, self.known("noise_std"), self.task.delta)


class LUCBRule(NamedTuple):
    """The rule of ``LUCB``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    pair: np.ndarray
    owed: np.ndarray
    done: np.ndarray
    noise_std: float
    delta: float


@choose.of(LUCBRule)
def _choose(rule, i, t, contexts, mask):
    for k in range(rule.pulls.shape[1]):
        if rule.pulls[i, k] == 0:
            return k
    return rule.pair[i, 2 - rule.owed[i]]


@learn.of(LUCBRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    best = best_mean(rule.pulls, rule.sums, i)
    rule.owed[i] = max(rule.owed[i] - 1, 0)
    if best < 0 or rule.owed[i] > 0:
        return True
    n_arms = rule.pulls.shape[1]
    growth = 2.0 * (log(1.25 * n_arms / rule.delta) + 4.0 * log(float(rule.t[i])))
    other, highest = best, -math.inf
    for k in range(n_arms):
        bound = rule.noise_std * math.sqrt(growth / rule.pulls[i, k])
        if k != best and rule.sums[i, k] / rule.pulls[i, k] + bound > highest:
            other, highest = k, rule.sums[i, k] / rule.pulls[i, k] + bound
    bound = rule.noise_std * math.sqrt(growth / rule.pulls[i, best])
    rule.done[i] = highest < rule.sums[i, best] / rule.pulls[i, best] - bound
    rule.pair[i, 0], rule.pair[i, 1], rule.owed[i] = best, other, 2
    return True
