"""DisjointLinTS: Thompson sampling with a separate Gaussian posterior for every arm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import noise_level
from agents.linear.disjoint_linucb import DisjointLinUCB
from agents.numerics.choice import most_optimistic
from agents.numerics.largest_sample import largest_normal
from agents.search import Log
from banditgym.streams import AGENT, Stream, fill_normals
from banditgym.validation import nonnegative


@dataclass(kw_only=True, eq=False)
class DisjointLinTS(DisjointLinUCB):
    r"""Sample a parameter for each arm from its own posterior, and play the best arm.

    With the regressions of ``DisjointLinUCB``, :math:`A_k` and :math:`\hat\theta_k` of arm k alone,
    round :math:`t` draws, independently for each arm,

    .. math:: \tilde\theta_{t,k} \sim \mathcal{N}(\hat\theta_k, v^2 A_k^{-1}), \qquad
        a_t = \arg\max_k \langle x_{t,k}, \tilde\theta_{t,k} \rangle.

    Of each sample the round needs :math:`\langle x_{t,k}, \tilde\theta_{t,k} \rangle` alone, which
    is normal with mean :math:`\langle x_{t,k}, \hat\theta_k \rangle` and standard deviation
    :math:`v \lVert x_{t,k} \rVert_{A_k^{-1}}`, and independent of the other arms: so it is drawn by
    one normal. Cost, memory and news are those of ``DisjointLinUCB``.

    Its definition is ``tests/agents/definitions/linear/disjoint_lints.py``.

    Parameters
    ----------
    scale : float, optional
        :math:`v \ge 0`, in units of reward; if None, the sub-Gaussian constant of the task's noise,
        or its standard deviation where the noise has no such constant.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    theta : ndarray of shape (n, K, d)
        The estimate of every arm.
    gram : ndarray of shape (n, K, d, d)
        :math:`A_k` of every arm.

    Notes
    -----
    Agrawal and Goyal analyse one parameter that all arms share, and a wider posterior
    (:class:`agents.linear.lints.LinTS`); no theorem is claimed for this form. MABWiser's ``LinTS``
    has the same regressions, but all of its arms draw by the same normals in a round, so that their
    samples are not independent.

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    Algorithm 1, for the posterior; L. Li, W. Chu, J. Langford, R. Schapire. A Contextual-Bandit
    Approach to Personalized News Article Recommendation. WWW 2010, for the model of every arm.
    """

    paper: ClassVar = "Agrawal & Goyal 2013, with the models of Li et al. 2010"
    search: ClassVar = {"scale": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    from_task: ClassVar = {"scale": noise_level}

    alpha: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleVariableOverride]
    scale: float | None = None

    def __post_init__(self):
        super().__post_init__()
        if self.scale is not None:
            nonnegative("scale", self.scale)

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._scale = float(self.known("scale"))

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self._predict(contexts)
        normals = np.empty(mean.shape)
        fill_normals(self._keys, self.decisions, normals)
        return most_optimistic(mean, variance, self._scale * normals, self.mask)

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self._predict(contexts)
        deviation = self._scale * np.sqrt(np.maximum(variance, 0.0))
        return largest_normal(mean, deviation, self._available())
