"""Sliding-window UCB: optimism with the means and counts of the last rewards."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.agent import noise_level
from agents.drivers.pulls import count, index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.pulled_arms import ScaledArms
from agents.search import Log
from agents.storage.loadable import Loadable
from banditgym.elementary import each_log, log
from banditgym.validation import checked, memory, nonnegative, positive, whole


def _window(task):
    """The recommended window for one break in an episode; None if the horizon is unknown."""
    horizon = task.horizon
    return horizon and max(int(2.0 * math.sqrt(horizon * each_log(horizon))), 1)


@dataclass(kw_only=True, eq=False)
class SlidingWindowUCB(ScaledArms):
    r"""Play every arm once, then the one with the largest upper confidence bound of a window.

    Among the last :math:`\tau` rewards, :math:`N_k` are of arm k, with mean :math:`\hat\mu_k`.
    After t - 1 rewards, round t plays

    .. math:: a_t = \arg\max_k \; \hat\mu_k + 2 R
        \sqrt{\frac{\xi \log \min(t - 1, \tau)}{N_k}},

    or the first arm without a reward in the window. For rewards in [0, B], R = B/2 and the bonus is
    the paper's :math:`B \sqrt{\xi \log (t \wedge \tau) / N_t(\tau, k)}`. A round costs O(K) per
    replicate; memory: 2 n (K + :math:`\tau`) numbers.

    Time is counted in rewards learned: the window holds the last :math:`\tau` rewards that were
    learned, in this order, however late they were.

    Its definition is ``tests/agents/definitions/armed/sliding_window_ucb.py``.

    Parameters
    ----------
    window : int, optional
        :math:`\tau \ge 1`, in rewards; much more than K, or else the window holds few rewards of
        an arm. If None, :math:`2 \sqrt{T \log T}` with the task's horizon T, rounded down.
    xi : float
        :math:`\xi > 0`, without unit.
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number and sum of every arm's rewards in the window.

    Notes
    -----
    Departs from the paper: the bonus is scaled by the noise level, where the paper assumes rewards
    in [0, B]. The paper does not say what an arm without a reward in the window gets; here it is
    played.

    The paper was not at hand. The formulas are as the report of
    github.com/MaxenceGiraud/ucb-nonstationary quotes them.
    The default window is :math:`2 \sqrt{T \log T / \Upsilon}` for one break, :math:`\Upsilon = 1`:
    github.com/EmilieKaufmann/PiecewiseStationaryBandits recommends it. That of :math:`\xi` is what
    the report says the paper's experiments take.

    References
    ----------
    A. Garivier, E. Moulines. On Upper-Confidence Bound Policies for Switching Bandit Problems.
    ALT 2011, Sliding-Window UCB.
    """

    paper: ClassVar = "Garivier & Moulines 2011, Sliding-Window UCB"
    search: ClassVar = {"window": Log(50, 5000), "xi": Log(0.001, 1.0)}
    scope: ClassVar = "for drift"
    from_task: ClassVar = {"window": _window, "noise_std": noise_level}
    loadable: ClassVar = {"_arms": Loadable(most=lambda self: self.pulls.shape[1] - 1)}

    window: int | None = checked(whole, None)
    xi: float = checked(positive, 0.5)
    noise_std: float | None = checked(nonnegative, None)

    def _start(self) -> None:
        super()._start()
        shape = self.n, int(self.known("window"))
        if self.n * shape[1] * 16 > memory():  # numpy raises another error for huge shapes
            raise MemoryError(f"of a window of {shape[1]} rewards")
        self._arms, self._rewards = np.zeros(shape, np.int64), np.zeros(shape)

    def _rule(self, rounds: int) -> "SlidingWindowUCBRule":
        counts, last = (self.pulls, self.sums, self._t), (self._arms, self._rewards)
        return SlidingWindowUCBRule(*counts, *last, self.xi, self._noise_std)


class SlidingWindowUCBRule(NamedTuple):
    """The rule of ``SlidingWindowUCB``; reward number s is at s modulo the window."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    arms: np.ndarray
    rewards: np.ndarray
    xi: float
    noise_std: float


@choose.of(SlidingWindowUCBRule)
def _choose(rule, i, t, contexts, mask):
    growth = rule.xi * log(min(rule.t[i], rule.arms.shape[1]))
    return largest_index(rule, i, mask, growth)


@index.of(SlidingWindowUCBRule)
def _index(rule, i, k, pulls, growth):
    return rule.sums[i, k] / pulls + 2.0 * rule.noise_std * math.sqrt(growth / pulls)


@learn.of(SlidingWindowUCBRule)
def _learn(rule, i, contexts, arm, reward):
    window = rule.arms.shape[1]
    place = rule.t[i] % window
    if rule.t[i] >= window:
        rule.pulls[i, rule.arms[i, place]] -= 1
        rule.sums[i, rule.arms[i, place]] -= rule.rewards[i, place]
    rule.arms[i, place], rule.rewards[i, place] = arm, reward
    count(rule, i, contexts, arm, reward)
    if place == window - 1:  # summed anew, so that no rounding error stays for ever
        for k in range(rule.sums.shape[1]):
            rule.sums[i, k] = 0.0
        for s in range(window):
            rule.sums[i, rule.arms[i, s]] += rule.rewards[i, s]
    return True
