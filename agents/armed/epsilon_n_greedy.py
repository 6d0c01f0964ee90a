"""epsilon_n-greedy: uniform exploration that falls as 1/t."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each
from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.numerics.random_choice import exploring, uniform_slot
from agents.parts.drawn_arms import DrawingArms
from banditgym.streams import uniform_at
from banditgym.validation import brief, checked, positive


@dataclass(kw_only=True, eq=False)
class EpsilonNGreedy(DrawingArms):
    r"""Play a uniform arm with probability :math:`\varepsilon_t`, else the arm with the best mean.

    .. math:: \varepsilon_t = \min\Big(1, \frac{c K}{d^2 t}\Big).

    The best mean is the largest mean of an arm's rewards; an arm without rewards counts as better
    than every other. A round costs O(K) per replicate; memory: 2 n K numbers.

    Its definition is ``tests/agents/definitions/armed/epsilon_n_greedy.py``.

    Parameters
    ----------
    c : float
        c > 0, without unit. The paper's experiments use the best value for each problem, from 0.05
        to 0.4.
    gap : float
        d in (0, 1], at most the smallest difference between the best arm's mean and another arm's.
        The task does not give this difference.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time Analysis of the Multiarmed Bandit Problem.
    Machine Learning 47, 2002, Figure 3.
    """

    paper: ClassVar = "Auer et al. 2002, Figure 3"
    on_request: ClassVar = True

    c: float = checked(positive, 0.15)
    gap: float = checked(positive, 0.1)

    def __post_init__(self):
        super().__post_init__()
        if self.gap > 1.0:
            raise ValueError(f"gap must be at most 1, got {brief(self.gap)}")

    def _rule(self, rounds: int) -> "EpsilonNGreedyRule":
        weight = self.c * self.task.n_arms / (self.gap * self.gap)
        counts = self.pulls, self.sums, self._t
        return EpsilonNGreedyRule(*counts, self._keys, self.decisions, weight)

    def _propensities(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        greedy = choose_each(rule._replace(weight=0.0), self.n, contexts, self.mask)
        epsilon = np.minimum(rule.weight / (self.decisions + 1), 1.0)
        return exploring(greedy, epsilon, self._available())


class EpsilonNGreedyRule(NamedTuple):
    """The rule of ``EpsilonNGreedy``; ``weight`` is c K / d²."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    weight: float


@choose.of(EpsilonNGreedyRule)
def _choose(rule, i, t, contexts, mask):
    k0, k1, decision = rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t
    if uniform_at(k0, k1, decision, 0) * (decision + 1) < rule.weight:
        u = uniform_at(k0, k1, decision, 1)
        return int(u * rule.pulls.shape[1]) if mask is None else uniform_slot(mask[i], u)
    return largest_index(rule, i, mask, None)


@index.of(EpsilonNGreedyRule)
def _mean(rule, i, k, pulls, level):
    return rule.sums[i, k] / pulls


learn.of(EpsilonNGreedyRule)(count_pull)
