"""epsilon_n-greedy: uniform exploration that falls as 1/t."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.pulled_arms import PulledArms
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.validation import brief, positive


@dataclass(kw_only=True, eq=False)
class EpsilonNGreedy(PulledArms):
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

    c: float = 0.15
    gap: float = 0.1

    def __post_init__(self):
        positive("c", self.c)
        if positive("gap", self.gap) > 1.0:
            raise ValueError(f"gap must be at most 1, got {brief(self.gap)}")

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys

    def _choose(self, contexts) -> np.ndarray:
        arms = np.empty(self.n, np.int64)
        weight = self.c * self.task.n_arms / (self.gap * self.gap)
        _epsilon_n_greedy(self.pulls, self.sums, self._keys, self.decisions, weight, arms)
        return arms


@compiled
def _epsilon_n_greedy(pulls, sums, keys, decisions, weight, arms):
    n, n_arms = pulls.shape
    for i in range(n):
        t = decisions[i]
        if uniform_at(keys[i, 0], keys[i, 1], t, 0) * (t + 1) < weight:
            arms[i] = int(uniform_at(keys[i, 0], keys[i, 1], t, 1) * n_arms)
            continue
        best, arms[i] = -np.inf, 0
        for k in range(n_arms):
            if pulls[i, k] == 0:
                arms[i] = k
                break
            mean = sums[i, k] / pulls[i, k]
            if mean > best:
                best, arms[i] = mean, k
