"""The gradient bandit: stochastic gradient ascent on preferences."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each
from agents.drivers.pulls import count
from agents.drivers.rule import choose, learn, withdrawn
from agents.numerics.softmax_choice import softmax_arm, to_weights
from agents.parts.drawn_arms import DrawingArms
from agents.search import Choice, Log
from banditgym.streams import uniform_at
from banditgym.validation import checked, flag, positive


@dataclass(kw_only=True, eq=False)
class GradientBandit(DrawingArms):
    r"""Draw an arm by the exponentials of preferences, which follow the gradient of the reward.

    With the preference :math:`H_k` of arm k, 0 at first,

    .. math:: \pi_k = \frac{e^{H_k}}{\sum_j e^{H_j}}, \qquad a_t \sim \pi, \qquad
        H_k \leftarrow H_k + \alpha (r_t - \bar r) (1[k = a_t] - \pi_k),

    where the baseline :math:`\bar r` is the mean of the rewards before :math:`r_t`, and
    :math:`r_t` itself at first; or 0 without a baseline. A round costs O(K) per replicate; memory:
    3 n K numbers.

    It is for any rewards. The arms played do not change if rewards are multiplied by a positive
    number and ``step`` divided by it; nor, with the baseline, if rewards are shifted.

    Its definition is ``tests/agents/definitions/armed/gradient_bandit.py``.

    Parameters
    ----------
    step : float
        :math:`\alpha > 0`, in units of 1 / reward.
    baseline : bool
        Whether the mean reward is subtracted.

    Attributes
    ----------
    preferences : ndarray of shape (n, K)
        :math:`H_k`.
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    The book's figures include :math:`r_t` in the baseline, as its footnote says, and its text does
    not, as here. The difference is a factor 1 - 1/t of the step.

    A late reward is learned with the :math:`\pi` of when it comes. Where arms come and go, one is
    drawn by the preferences of those that may be played; the update has the :math:`\pi` of all.

    References
    ----------
    R. Sutton, A. Barto. Reinforcement Learning: An Introduction. 2nd edition, MIT Press 2018,
    section 2.8.
    """

    paper: ClassVar = "Sutton & Barto 2018, section 2.8"
    search: ClassVar = {"step": Log(0.01, 4.0), "baseline": Choice((True, False))}

    step: float = checked(positive, 0.1)
    baseline: bool = checked(flag, True)

    def _start(self) -> None:
        super()._start()
        self.preferences = np.zeros(self.pulls.shape)

    def _rule(self, rounds: int) -> "GradientBanditRule":
        draws, score = (self._keys, self.decisions), np.empty(self.pulls.shape)
        counts = self.pulls, self.sums, self._t
        return GradientBanditRule(
            *counts, self.preferences, *draws, self.step, self.baseline, score
        )

    def _propensities(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        choose_each(rule, self.n, contexts, self.mask)  # which writes the weights
        return rule.score / rule.score.sum(axis=1, keepdims=True)


class GradientBanditRule(NamedTuple):
    """The rule of ``GradientBandit``; ``score`` (n, K) is overwritten, by the weights of arms."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    preferences: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    step: float
    baseline: bool
    score: np.ndarray


@choose.of(GradientBanditRule)
def _choose(rule, i, t, contexts, mask):
    score = rule.score[i]
    for k in range(score.shape[0]):
        score[k] = -np.inf if withdrawn(mask, i, k) else rule.preferences[i, k]
    u = uniform_at(rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t, 0)
    return softmax_arm(score, u)


@learn.of(GradientBanditRule)
def _learn(rule, i, contexts, arm, reward):
    rewards, weights, score = 0.0, 0.0, rule.score[i]
    for k in range(score.shape[0]):
        score[k] = rule.preferences[i, k]
        rewards += rule.sums[i, k]
    to_weights(score)
    for k in range(score.shape[0]):
        weights += score[k]
    before = reward if rule.t[i] == 0 else rewards / rule.t[i]
    gain = rule.step * (reward - before if rule.baseline else reward)
    for k in range(score.shape[0]):
        rule.preferences[i, k] -= gain * (score[k] / weights)
    rule.preferences[i, arm] += gain
    count(rule, i, contexts, arm, reward)
    return True
