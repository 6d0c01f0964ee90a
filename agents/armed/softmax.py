"""Softmax: Boltzmann exploration, by the mean rewards over a temperature."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each
from agents.drivers.pulls import count_pull
from agents.drivers.rule import choose, learn, withdrawn
from agents.numerics.random_choice import exploring
from agents.numerics.softmax_choice import softmax_arm
from agents.parts.drawn_arms import DrawingArms
from agents.search import Log
from banditgym.streams import uniform_at
from banditgym.validation import checked, positive


@dataclass(kw_only=True, eq=False)
class Softmax(DrawingArms):
    r"""Play every arm once, then draw an arm by the exponentials of the mean rewards.

    With the mean reward :math:`\hat\mu_k` of arm k and the temperature :math:`\tau`,

    .. math:: P(a_t = k) = \frac{e^{\hat\mu_k / \tau}}{\sum_j e^{\hat\mu_j / \tau}}.

    A round costs O(K) per replicate; memory: 2 n K numbers.

    It is for any rewards. The temperature is on their scale: the arms played do not change if
    rewards and temperature are multiplied by a positive number, or if rewards are shifted.

    Its definition is ``tests/agents/definitions/armed/softmax.py``.

    Parameters
    ----------
    temperature : float
        :math:`\tau > 0`, in units of reward. Close to 0 it is greedy; a large one is uniform.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    References
    ----------
    N. Cesa-Bianchi, C. Gentile, G. Lugosi, G. Neu. Boltzmann Exploration Done Right. NeurIPS 2017,
    which shows that no schedule of temperatures has a small regret on all tasks.
    """

    paper: ClassVar = "baseline"
    search: ClassVar = {"temperature": Log(0.005, 1.0)}

    temperature: float = checked(positive, 0.1)

    def _rule(self, rounds: int) -> "SoftmaxRule":
        draws, score = (self._keys, self.decisions), np.empty(self.pulls.shape)
        return SoftmaxRule(self.pulls, self.sums, self._t, *draws, self.temperature, score)

    def _propensities(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        arms = choose_each(rule, self.n, contexts, self.mask)  # which writes the weights
        first = ((self.pulls == 0) & self._available()).any(axis=1)
        rule.score[first] = exploring(arms[first], 0.0, self._available()[first])
        return rule.score / rule.score.sum(axis=1, keepdims=True)


class SoftmaxRule(NamedTuple):
    """The rule of ``Softmax``; ``score`` (n, K) is overwritten, by the weights of arms."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    temperature: float
    score: np.ndarray


@choose.of(SoftmaxRule)
def _choose(rule, i, t, contexts, mask):
    score = rule.score[i]
    for k in range(score.shape[0]):
        if withdrawn(mask, i, k):
            score[k] = -np.inf
        elif rule.pulls[i, k] == 0:
            return k
        else:
            score[k] = rule.sums[i, k] / rule.pulls[i, k] / rule.temperature
    u = uniform_at(rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t, 0)
    return softmax_arm(score, u)


learn.of(SoftmaxRule)(count_pull)
