"""UCB-V: optimism with the empirical variance of an arm's rewards."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count, index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.bounded_arms import BoundedArms
from agents.search import Log
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class UCBV(BoundedArms):
    r"""Play every arm once, then the one with the largest upper confidence bound.

    With :math:`N_k` pulls, mean reward :math:`\hat\mu_k` and empirical variance :math:`\hat V_k` of
    arm k before round :math:`t`, and rewards in an interval of length b,

    .. math:: a_t = \arg\max_k \; \hat\mu_k + \sqrt{\frac{2 \zeta \log(t) \hat V_k}{N_k}}
        + \frac{3 c b \zeta \log t}{N_k}.

    A round costs O(K) per replicate; memory: 3 n K numbers.

    It is for rewards of a known range, and refuses others. The arms played do not change if rewards
    and their range are shifted, or multiplied by a positive number.

    Its definition is ``tests/agents/definitions/armed/ucbv.py``.

    Parameters
    ----------
    zeta : float
        :math:`\zeta \ge 0`, without unit.
    c : float
        c >= 0, without unit.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    squares : ndarray of shape (n, K)
        :math:`N_k \hat V_k`, the sum of the squared deviations of an arm's rewards from their mean.

    Notes
    -----
    The paper was not at hand. With the defaults the index is that of ``UCBV`` of pymaBandits, by
    O. Cappé, A. Garivier and E. Kaufmann, as github.com/SMPyBandits/SMPyBandits has it; that
    program plays every arm twice at first. The places of :math:`\zeta` and c are from memory.

    References
    ----------
    J.-Y. Audibert, R. Munos, C. Szepesvári. Exploration-exploitation Tradeoff Using Variance
    Estimates in Multi-armed Bandits. Theoretical Computer Science 410, 2009.
    """

    paper: ClassVar = "Audibert et al. 2009"
    search: ClassVar = {"zeta": Log(0.1, 2.0), "c": Log(0.01, 1.0)}

    zeta: float = checked(nonnegative, 1.0)
    c: float = checked(nonnegative, 1.0)

    def _start(self) -> None:
        super()._start()
        self.squares = np.zeros(self.pulls.shape)

    def _rule(self, rounds: int) -> "UCBVRule":
        counts, bias = (self.pulls, self.sums, self._t), 3.0 * self.c * self._width
        return UCBVRule(*counts, self.squares, self.zeta, bias)


class UCBVRule(NamedTuple):
    """The rule of ``UCBV``; ``bias`` is 3 c b."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    squares: np.ndarray
    zeta: float
    bias: float


@choose.of(UCBVRule)
def _choose(rule, i, t, contexts, mask):
    growth = rule.zeta * log(rule.t[i] + 1.0)
    return largest_index(rule, i, mask, growth)


@index.of(UCBVRule)
def _index(rule, i, k, pulls, growth):
    share = growth / pulls
    deviation = math.sqrt(2.0 * share * rule.squares[i, k] / pulls)
    return rule.sums[i, k] / pulls + deviation + rule.bias * share


@learn.of(UCBVRule)
def _learn(rule, i, contexts, arm, reward):
    pulls, before = rule.pulls[i, arm], reward
    if pulls > 0:
        before = rule.sums[i, arm] / pulls
    count(rule, i, contexts, arm, reward)
    after = rule.sums[i, arm] / (pulls + 1)
    rule.squares[i, arm] += max((reward - before) * (reward - after), 0.0)
    return True
