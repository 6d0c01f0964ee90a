"""IMED: the arm whose rewards are the likeliest to come from the best arm's mean."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull
from agents.drivers.rule import choose, learn, withdrawn
from agents.parts.bounded_arms import DivergenceArms
from agents.search import Log
from banditgym.compiled import inlined
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class IMED(DivergenceArms):
    r"""Play every arm once, then the one with the smallest index.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k, and the largest of these
    means :math:`\hat\mu^*`,

    .. math:: a_t = \arg\min_k \; N_k \, d(\hat\mu_k, \hat\mu^*) + \log N_k,

    where d is the divergence of Bernoulli distributions, or :math:`(p - q)^2 / (2 R^2)` for other
    rewards. It needs no horizon and no confidence level. A round costs O(K) per replicate; memory:
    2 n K numbers.

    It is for Bernoulli rewards, and for Gaussian rewards of known deviation R; other rewards are
    played as Gaussian ones. There the arms played do not change if rewards and R are multiplied by
    a positive number.

    Its definition is ``tests/agents/definitions/armed/imed.py``.

    Parameters
    ----------
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant. Unused for Bernoulli rewards.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    The paper was not at hand. The index is that of two public programs: IMED of
    github.com/StatisticalRL/statrl, and of github.com/H2DI/bandits_lab, which takes the infimum of
    the divergence over all laws on [0, 1], and so has d for rewards that are 0 or 1. Unlike statrl,
    which draws among equal indices, this plays the first.

    Where arms come and go, :math:`\hat\mu^*` is the largest mean of those that may be played.

    References
    ----------
    J. Honda, A. Takemura. Non-asymptotic Analysis of a New Bandit Algorithm for Semi-bounded
    Rewards. JMLR 16, 2015.
    """

    paper: ClassVar = "Honda & Takemura 2015"
    search: ClassVar = {"noise_std": Log(0.02, 1.0)}

    noise_std: float | None = checked(nonnegative, None)

    def _rule(self, rounds: int) -> "IMEDRule":
        counts = self.pulls, self.sums, self._t
        return IMEDRule(*counts, self.task.bernoulli, self._noise_std)


class IMEDRule(NamedTuple):
    """The rule of ``IMED``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    bernoulli: bool
    noise_std: float


@choose.of(IMEDRule)
def _choose(rule, i, t, contexts, mask):
    largest = -math.inf
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        if rule.pulls[i, k] == 0:
            return k
        largest = max(largest, rule.sums[i, k] / rule.pulls[i, k])
    least = arm = -1  # no arm so far
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        pulls = rule.pulls[i, k]
        mean = rule.sums[i, k] / pulls
        index = log(float(pulls))
        if mean < largest:
            index += pulls * _divergence(mean, largest, rule.bernoulli, rule.noise_std)
        if arm < 0 or index < least:
            least, arm = index, k
    return arm


@inlined
def _divergence(p, q, bernoulli, noise_std):
    """Of p and q > p; infinite where no reward of mean q could have been as those of mean p."""
    if not bernoulli:
        gap = (q - p) / noise_std
        return 0.5 * gap * gap
    if q >= 1.0:
        return math.inf
    from_1 = p * log(p / q) if p > 0.0 else 0.0
    return from_1 + (1.0 - p) * log((1.0 - p) / (1.0 - q))


learn.of(IMEDRule)(count_pull)
