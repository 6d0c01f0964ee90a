"""Bayes-UCB: optimism with quantiles of posteriors, here of Gaussian ones."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.numerics.normal_quantile import quantile_of_tail
from agents.parts.pulled_arms import ScaledArms
from agents.search import Log
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class BayesUCB(ScaledArms):
    r"""Play every arm once, then the one with the largest quantile of its posterior.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k before round :math:`t`, the
    posterior of Gaussian rewards of deviation R for the flat prior is
    :math:`\mathcal{N}(\hat\mu_k, R^2 / N_k)`, and

    .. math:: a_t = \arg\max_k \; \hat\mu_k + \frac{R}{\sqrt{N_k}} \, \Phi^{-1}(1 - 1/t),

    where :math:`t - 1` is the number of rewards so far and :math:`\Phi` the standard normal
    distribution function. A round costs O(K) per replicate; memory: 2 n K numbers.

    It is for Gaussian rewards of known deviation R, and by R for all that are sub-Gaussian: the
    arms played do not change if rewards and R are multiplied by a positive number.

    Its definition is ``tests/agents/definitions/armed/bayes_ucb.py``.

    Parameters
    ----------
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    The paper was not at hand. The order of the quantile, without a power of a logarithm, is that of
    ``BayesUCB`` of pymaBandits, by O. Cappé, A. Garivier and E. Kaufmann, as
    github.com/SMPyBandits/SMPyBandits has it; there it is 1 - 1/(t + 1), with t counted as here.

    References
    ----------
    E. Kaufmann, O. Cappé, A. Garivier. On Bayesian Upper Confidence Bounds for Bandit Problems.
    AISTATS 2012.
    """

    paper: ClassVar = "Kaufmann et al. 2012"
    search: ClassVar = {"noise_std": Log(0.02, 1.0)}

    noise_std: float | None = checked(nonnegative, None)

    def _rule(self, rounds: int) -> "BayesUCBRule":
        return BayesUCBRule(self.pulls, self.sums, self._t, self._noise_std)


class BayesUCBRule(NamedTuple):
    """The rule of ``BayesUCB``; ``t`` (n,) counts rewards, unlike the ``t`` of ``choose``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    noise_std: float


@choose.of(BayesUCBRule)
def _choose(rule, i, t, contexts, mask):
    width = rule.noise_std * quantile_of_tail(log(rule.t[i] + 1.0))
    return largest_index(rule, i, mask, width)


@index.of(BayesUCBRule)
def _index(rule, i, k, pulls, width):
    return rule.sums[i, k] / pulls + width / math.sqrt(pulls)


learn.of(BayesUCBRule)(count_pull)
