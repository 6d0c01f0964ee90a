"""Thompson sampling with Gaussian posteriors."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.numerics.largest_sample import largest_normal
from agents.parts.drawn_arms import DrawingArms
from agents.parts.pulled_arms import ScaledArms
from agents.search import Log
from banditgym.streams import normal_at
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class GaussianThompson(ScaledArms, DrawingArms):
    r"""Play every arm once, then sample every arm's mean and play the largest sample.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k,

    .. math:: \theta_k \sim \mathcal{N}(\hat\mu_k, R^2 / N_k), \qquad a_t = \arg\max_k \theta_k,

    the posterior of Gaussian rewards of deviation R for the flat prior. A round costs O(K) per
    replicate; memory: 2 n K numbers.

    It is for Gaussian rewards of known deviation R, and by R for all that are sub-Gaussian: the
    arms played do not change if rewards and R are multiplied by a positive number.

    Its definition is ``tests/agents/definitions/armed/gaussian_thompson.py``.

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
    The flat prior is Jeffreys' prior of Gaussian rewards of known deviation, for which the paper
    has the bound. Agrawal and Goyal (2013) have the prior :math:`\mathcal{N}(0, 1)` instead, which
    is on a scale of its own.

    References
    ----------
    N. Korda, E. Kaufmann, R. Munos. Thompson Sampling for 1-Dimensional Exponential Family Bandits.
    NeurIPS 2013.

    S. Agrawal, N. Goyal. Further Optimal Regret Bounds for Thompson Sampling. AISTATS 2013.
    """

    paper: ClassVar = "Korda et al. 2013"
    search: ClassVar = {"noise_std": Log(0.02, 1.0)}

    noise_std: float | None = checked(nonnegative, None)

    def _rule(self, rounds: int) -> "GaussianThompsonRule":
        counts = self.pulls, self.sums, self._t
        return GaussianThompsonRule(*counts, self._keys, self.decisions, self._noise_std)

    def _propensities(self, contexts) -> np.ndarray:
        some = np.maximum(self.pulls, 1)  # an arm without a pull has, surely, the largest mean
        mean = np.where(self.pulls > 0, self.sums / some, np.inf)
        deviation = np.where(self.pulls > 0, self._noise_std / np.sqrt(some), 0.0)
        return largest_normal(mean, deviation, self._available())


class GaussianThompsonRule(NamedTuple):
    """The rule of ``GaussianThompson``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    noise_std: float


@choose.of(GaussianThompsonRule)
def _choose(rule, i, t, contexts, mask):
    return largest_index(rule, i, mask, rule.decisions[i] + t)


@index.of(GaussianThompsonRule)
def _index(rule, i, k, pulls, decision):
    draw = normal_at(rule.keys[i, 0], rule.keys[i, 1], decision, k)
    deviation = rule.noise_std / math.sqrt(pulls)
    return rule.sums[i, k] / pulls + deviation * draw


learn.of(GaussianThompsonRule)(count_pull)
