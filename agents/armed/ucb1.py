"""UCB1: optimism with Hoeffding's bound."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import noise_level
from agents.parts.pulled_arms import PulledArms
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.elementary import log
from banditgym.validation import nonnegative


@dataclass(kw_only=True, eq=False)
class UCB1(PulledArms):
    r"""Play every arm once, then the one with the largest upper confidence bound.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k before round :math:`t`,

    .. math:: a_t = \arg\max_k \; \hat\mu_k + R \sqrt{\frac{8 \log (t - 1)}{N_k}},

    where :math:`t - 1` is the number of plays so far. For rewards in [0, 1], R = 1/2 and the bonus
    is the paper's :math:`\sqrt{2 \log(t - 1) / N_k}`. A round costs O(K) per replicate; memory:
    2 n K numbers.

    Its definition is ``tests/agents/definitions/armed/ucb1.py``.

    Parameters
    ----------
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    Departs from the paper: the bonus is scaled by the noise level. The paper assumes rewards in
    [0, 1] instead.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time Analysis of the Multiarmed Bandit Problem.
    Machine Learning 47, 2002, Figure 1.
    """

    paper: ClassVar = "Auer et al. 2002, Figure 1"
    search: ClassVar = {"noise_std": Log(0.02, 1.0)}
    from_task: ClassVar = {"noise_std": noise_level}

    noise_std: float | None = None

    def __post_init__(self):
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def _start(self) -> None:
        super()._start()
        self._noise_std = float(self.known("noise_std"))

    def _choose(self, contexts) -> np.ndarray:
        arms = np.empty(self.n, np.int64)
        _ucb1(self.pulls, self.sums, self._t, self._noise_std, arms)
        return arms


@compiled
def _ucb1(pulls, sums, t, noise_std, arms):
    n, n_arms = pulls.shape
    for i in range(n):
        growth = 8.0 * log(max(t[i], 1))
        best, arms[i] = -math.inf, 0
        for k in range(n_arms):
            if pulls[i, k] == 0:
                arms[i] = k
                break
            index = sums[i, k] / pulls[i, k] + noise_std * math.sqrt(growth / pulls[i, k])
            if index > best:
                best, arms[i] = index, k
