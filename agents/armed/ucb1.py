"""UCB1: optimism with Hoeffding's bound."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.confidence import named_or_number
from agents.parts.pulled_arms import ScaledArms
from agents.search import Log
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class UCB1(ScaledArms):
    r"""Play every arm once, then the one with the largest upper confidence bound.

    With :math:`N_k` rewards of mean :math:`\hat\mu_k` from arm k, of :math:`t - 1` rewards in all,

    .. math:: a_t = \arg\max_k \; \hat\mu_k + c R \sqrt{\frac{2 \log (t - 1)}{N_k}}.

    A round costs O(K) per replicate; memory: 2 n K numbers.

    Its definition is ``tests/agents/definitions/armed/ucb1.py``.

    Parameters
    ----------
    scale : "theory" or float
        c >= 0, without unit. ``theory``: 2, the paper's bonus for rewards in [0, 1] (R = 1/2).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    Departs from the paper in the bonus: it is scaled by the noise level, and by default halved.
    With late rewards it is Joulani et al.'s Delayed-UCB1, except that the logarithm counts rewards.
    It repeats an arm until a reward arrives that changes an index; ``Pending`` avoids that.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time Analysis of the Multiarmed Bandit Problem.
    Machine Learning 47, 2002, Figure 1.

    P. Joulani, A. György, C. Szepesvári. Online Learning under Delayed Feedback. ICML 2013.
    """

    paper: ClassVar = "Auer et al. 2002, Figure 1"
    search: ClassVar = {"scale": Log(0.05, 5.0)}

    scale: str | float = checked(named_or_number("theory"), 1.0)
    noise_std: float | None = checked(nonnegative, None)

    def _rule(self, rounds: int) -> "UCB1Rule":
        scale = 2.0 if isinstance(self.scale, str) else float(self.scale)
        return UCB1Rule(self.pulls, self.sums, self._t, self._noise_std, scale)


class UCB1Rule(NamedTuple):
    """The rule of ``UCB1``; ``t`` (n,) counts rewards, unlike the ``t`` of ``choose``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    noise_std: float
    scale: float


@choose.of(UCB1Rule)
def _choose(rule, i, t, contexts, mask):
    growth = 2.0 * (rule.scale * rule.scale) * log(max(rule.t[i], 1))
    return largest_index(rule, i, mask, growth)


@index.of(UCB1Rule)
def _index(rule, i, k, pulls, growth):
    return rule.sums[i, k] / pulls + rule.noise_std * math.sqrt(growth / pulls)


learn.of(UCB1Rule)(count_pull)
