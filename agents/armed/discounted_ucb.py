"""Discounted UCB: optimism with means and counts that forget the past gradually."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.agent import noise_level
from agents.drivers.pulls import index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.pulled_arms import PulledArms
from agents.search import Choice, Log
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative, positive, ruled


@dataclass(kw_only=True, eq=False)
class DiscountedUCB(PulledArms):
    r"""Play every arm once, then the one with the largest discounted upper confidence bound.

    The last reward learned has weight 1, and each one before it :math:`\gamma` times the weight of
    the next. With the sum :math:`N_k` of the weights of arm k's rewards and their weighted mean
    :math:`\hat\mu_k`, round t plays

    .. math:: a_t = \arg\max_k \; \hat\mu_k + 4 R \sqrt{\frac{\xi \log n}{N_k}}, \qquad
        n = \sum_k N_k.

    For rewards in [0, B], R = B/2 and the bonus is the paper's
    :math:`2 B \sqrt{\xi \log n_t(\gamma) / N_t(\gamma, k)}`. A round costs O(K) per replicate;
    memory: 2 n K numbers.

    Time is counted in rewards learned: a late reward has weight 1 when it is learned, as if its arm
    were played then, and a reward that never comes ages no other.

    Its definition is ``tests/agents/definitions/armed/discounted_ucb.py``.

    Parameters
    ----------
    discount : float, optional
        :math:`\gamma` in (0, 1), the weight that a reward leaves to the rewards before it. If None,
        :math:`1 - 1 / (4 \sqrt T)` with the task's horizon T.
    xi : float
        :math:`\xi > 0`, without unit.
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Sum of the weights of every arm's rewards, and weighted sum of these rewards.

    Notes
    -----
    Departs from the paper: the bonus is scaled by the noise level, where the paper assumes rewards
    in [0, B]. An arm whose weight has underflowed to 0 is played again, as one never played.

    The paper was not at hand. The formulas are as two works quote them: the report of
    github.com/MaxenceGiraud/ucb-nonstationary, and a paper on discounted Thompson sampling. The
    default discount is :math:`1 - \sqrt{\Upsilon / T} / 4` for one break, :math:`\Upsilon = 1`:
    github.com/EmilieKaufmann/PiecewiseStationaryBandits recommends it. That of :math:`\xi` is what
    the report says the paper's experiments take.

    References
    ----------
    A. Garivier, E. Moulines. On Upper-Confidence Bound Policies for Switching Bandit Problems.
    ALT 2011, Discounted UCB.
    """

    paper: ClassVar = "Garivier & Moulines 2011, Discounted UCB"
    search: ClassVar = {
        "discount": Choice((0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998)),
        "xi": Log(0.001, 1.0),
    }
    scope: ClassVar = "for drift"
    from_task: ClassVar = {
        "discount": lambda task: task.horizon and 1.0 - 0.25 / math.sqrt(task.horizon),
        "noise_std": noise_level,
    }

    discount: float | None = checked(ruled(lambda x: 0 < x < 1, "must be in (0, 1)"), None)
    xi: float = checked(positive, 0.5)
    noise_std: float | None = checked(nonnegative, None)

    def _start(self) -> None:
        shape = self.n, self.task.n_arms
        self.pulls, self.sums = np.zeros(shape), np.zeros(shape)
        self._discount = float(self.known("discount"))
        self._noise_std = float(self.known("noise_std"))

    def _rule(self, rounds: int) -> "DiscountedUCBRule":
        return DiscountedUCBRule(self.pulls, self.sums, self._discount, self.xi, self._noise_std)


class DiscountedUCBRule(NamedTuple):
    """The rule of ``DiscountedUCB``."""

    pulls: np.ndarray
    sums: np.ndarray
    discount: float
    xi: float
    noise_std: float


@choose.of(DiscountedUCBRule)
def _choose(rule, i, t, contexts, mask):
    total = 0.0
    for k in range(rule.pulls.shape[1]):
        total += rule.pulls[i, k]
    return largest_index(rule, i, mask, rule.xi * log(total))


@index.of(DiscountedUCBRule)
def _index(rule, i, k, pulls, growth):
    return rule.sums[i, k] / pulls + 4.0 * rule.noise_std * math.sqrt(growth / pulls)


@learn.of(DiscountedUCBRule)
def _learn(rule, i, contexts, arm, reward):
    for k in range(rule.pulls.shape[1]):
        rule.pulls[i, k] *= rule.discount
        rule.sums[i, k] *= rule.discount
    rule.pulls[i, arm] += 1.0
    rule.sums[i, arm] += reward
    return True
