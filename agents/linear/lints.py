"""LinTS: Thompson sampling with a Gaussian posterior on the linear parameter."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level, reject
from agents.choice import largest
from agents.confidence import posterior_width
from agents.estimators import Ridge
from banditgym.linalg.root import absorb_root, sample_means
from banditgym.settings import nonnegative, real
from banditgym.streams import LEARNER, Stream
from banditgym.tasks import LinearTask, NewsTask


@dataclass(kw_only=True, eq=False)
class LinTS(Agent):
    r"""Sample a parameter from the posterior and play its best arm.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds, round :math:`t` draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1}), \qquad
        a_t = \arg\max_k \langle x_{t,k}, \tilde\theta_t\rangle, \qquad
        v_t = R \sqrt{9 d \log(t / \delta)}.

    A round costs :math:`O(K d + d^2)` per replicate: the posterior's root follows rank-one updates
    and is never factored. Memory: n (d² + K + d) numbers.

    Parameters
    ----------
    alpha : float, optional
        The width :math:`v` itself, constant over rounds, >= 0; the paper's :math:`v_t` if None.
        The paper's is wide: a constant of the size of the noise explores less and often pays more.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        The ridge estimate.
    root : ndarray of shape (n, d, d)
        The transpose of :math:`L` with :math:`L L^\top = V_t^{-1}`.

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    Algorithm 1; the width is that of arXiv 1209.3352, version 4.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "Agrawal & Goyal 2013, Algorithm 1"
    from_task: ClassVar = {"noise_std": noise_level}

    alpha: float | None = None
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None

    def __post_init__(self):
        if self.alpha is not None and not 0 <= real("alpha", self.alpha) < np.inf:
            raise ValueError(f"alpha must be >= 0, got {self.alpha}")
        Ridge(ridge=self.ridge)
        if not 0 < real("delta", self.delta) < 1:
            raise ValueError(f"delta is a probability and must be in (0, 1), got {self.delta}")
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def _start(self) -> None:
        task, n = self.task, self.n
        self.theta = np.zeros((n, task.dim))
        self.root = np.tile(np.eye(task.dim) / np.sqrt(self.ridge), (n, 1, 1))
        self._keys = Stream(self.seeds, LEARNER, 0, 0).keys
        self._t = np.zeros(n, np.int64)
        self._noise_std = self.known("noise_std")
        self._sampled = np.empty((n, task.n_arms))

    def widths(self) -> np.ndarray:
        """The posterior width v of each replicate in the coming round, (n,)."""
        if self.alpha is not None:
            return np.full(self.n, float(self.alpha))
        return posterior_width(
            self._t + 1, dim=self.task.dim, delta=self.delta, noise_std=self._noise_std
        )

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        bad = sample_means(
            self.root, self.theta, self.widths(), self._keys, self._t, contexts, self._sampled
        )
        reject(bad, "a feature")
        return largest(self._sampled, self.mask)

    def _learn(self, contexts, actions, reward, observed) -> None:
        bad = absorb_root(self.root, self.theta, contexts, actions, reward, observed)
        reject(bad, "a feature")
        self._t += observed
