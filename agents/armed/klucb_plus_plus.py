"""KL-UCB++: optimism with the Kullback--Leibler divergence, optimal in two senses."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.agent import noise_level
from agents.drivers.pulls import count
from agents.drivers.rule import choose, first_largest_there, learn
from agents.numerics.bernoulli_bounds import bernoulli_bounds
from agents.parts.bounded_arms import DivergenceArms
from agents.search import Log
from banditgym.elementary import log
from banditgym.validation import checked, nonnegative, whole


@dataclass(kw_only=True, eq=False)
class KLUCBPlusPlus(DivergenceArms):
    r"""Play every arm once, then the one with the largest KL upper confidence bound.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k, and the horizon T,

    .. math:: a_t = \arg\max_k \; \max\{ q : N_k \, d(\hat\mu_k, q) \le g(N_k) \}, \qquad
        g(n) = \log^+\big(y \, (1 + (\log^+ y)^2)\big), \quad y = \frac{T}{K n},

    where d is the divergence of Bernoulli distributions, or :math:`(p - q)^2 / (2 R^2)` for other
    rewards. A bound changes only with a reward of its arm, when it is computed. A round costs O(K)
    per replicate; memory: 3 n K numbers.

    It is for Bernoulli rewards, and for Gaussian rewards of known deviation R; other rewards are
    played as Gaussian ones. There the arms played do not change if rewards and R are multiplied by
    a positive number.

    Its definition is ``tests/agents/definitions/armed/klucb_plus_plus.py``.

    Parameters
    ----------
    horizon : int, optional
        T, in rounds; the task's if None.
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
    The paper's text was not at hand: g is as github.com/SMPyBandits/SMPyBandits quotes it from
    page 3. The program ``KLUCBPlusPlus`` of github.com/H2DI/bandits_lab has :math:`\log^+ y` in its
    place, with the number of rounds so far for T.

    References
    ----------
    P. Ménard, A. Garivier. A Minimax and Asymptotically Optimal Algorithm for Stochastic Bandits.
    ALT 2017.
    """

    paper: ClassVar = "Ménard & Garivier 2017"
    search: ClassVar = {"noise_std": Log(0.02, 1.0)}
    from_task: ClassVar = {"horizon": lambda task: task.horizon, "noise_std": noise_level}

    horizon: int | None = checked(whole, None)
    noise_std: float | None = checked(nonnegative, None)

    def _start(self) -> None:
        super()._start()
        self._bounds = np.full(self.pulls.shape, np.inf)  # until there is a reward
        self._share = self.known("horizon") / self.task.n_arms

    def _rule(self, rounds: int) -> "KLUCBPlusPlusRule":
        counts, law = (self.pulls, self.sums, self._t), (self.task.bernoulli, self._noise_std)
        scratch = np.empty((4, 1)), np.empty(1, np.bool_)
        return KLUCBPlusPlusRule(*counts, self._bounds, self._share, *law, *scratch)


class KLUCBPlusPlusRule(NamedTuple):
    """The rule of ``KLUCBPlusPlus``; ``share`` is T / K, ``scratch`` (4, 1) and ``moves`` (1,)."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    bounds: np.ndarray
    share: float
    bernoulli: bool
    noise_std: float
    scratch: np.ndarray
    moves: np.ndarray


@choose.of(KLUCBPlusPlusRule)
def _choose(rule, i, t, contexts, mask):
    return first_largest_there(rule.bounds[i], mask, i)


@learn.of(KLUCBPlusPlusRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    pulls = rule.pulls[i, arm]
    y = rule.share / pulls
    grown = log(y)  # where it is negative, so is the logarithm of y (1 + grown²)
    level = max(log(y * (1.0 + grown * grown)), 0.0) / pulls
    mean, share, bound, entropy = rule.scratch
    mean[0], share[0] = rule.sums[i, arm] / pulls, level
    if rule.bernoulli:
        bernoulli_bounds(mean, share, bound, entropy, rule.moves)
    else:
        bound[0] = mean[0] + rule.noise_std * math.sqrt(2.0 * level)
    rule.bounds[i, arm] = bound[0]
    return True
