"""BallTS: Thompson sampling on sets of points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level, reject
from agents.confidence import posterior_width
from agents.estimators import Ridge
from banditgym.compiled import compiled
from banditgym.linalg.root import absorb_root
from banditgym.settings import nonnegative, real
from banditgym.streams import LEARNER, Stream, fill_normal
from banditgym.tasks import ConvexSetTask


@dataclass(kw_only=True, eq=False)
class BallTS(Agent):
    r"""Sample a parameter from the posterior and play the best point of the set for it.

    With ridge regression :math:`\hat\theta_t, V_t` of the past points, round :math:`t` draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1}), \qquad
        x_t = \arg\max_{x \in \mathcal{D}} \langle x, \tilde\theta_t\rangle, \qquad
        v_t = R \sqrt{9 d \log(t / \delta)}.

    It is ``LinTS`` with a set of points in place of arms, and plays every set that knows its best
    point in a direction. A round costs O(d²) per replicate: the posterior's root follows rank-one
    updates and is never factored. Memory: n (d² + d) numbers.

    Parameters
    ----------
    alpha : float, optional
        The width :math:`v` itself, constant over rounds, >= 0; the :math:`v_t` above if None. That
        is wide: a constant of the size of the noise explores less and often pays more.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared points. The paper fixes it to 1.
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

    Notes
    -----
    The paper has finitely many arms a round; its width does not depend on their number.

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    Algorithm 1; the width is that of arXiv 1209.3352, version 4.
    """

    accepts: ClassVar = (ConvexSetTask,)
    paper: ClassVar = "Agrawal & Goyal 2013, Algorithm 1"
    from_task: ClassVar = {"noise_std": noise_level}

    alpha: float | None = None
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None

    def __post_init__(self):
        if self.alpha is not None:
            nonnegative("alpha", self.alpha)
        Ridge(ridge=self.ridge)
        if not 0 < real("delta", self.delta) < 1:
            raise ValueError(f"delta is a probability and must be in (0, 1), got {self.delta}")
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def _start(self) -> None:
        dim, n = self.task.dim, self.n
        self.theta = np.zeros((n, dim))
        self.root = np.tile(np.eye(dim) / np.sqrt(self.ridge), (n, 1, 1))
        self._keys = Stream(self.seeds, LEARNER, 0, 0).keys
        self._t = np.zeros(n, np.int64)
        self._noise_std = self.known("noise_std")

    def widths(self) -> np.ndarray:
        """The posterior width v of each replicate in the coming round, (n,)."""
        if self.alpha is not None:
            return np.full(self.n, float(self.alpha))
        return posterior_width(
            self._t + 1, dim=self.task.dim, delta=self.delta, noise_std=self._noise_std
        )

    def _choose(self, contexts) -> np.ndarray:
        sampled = np.empty(self.theta.shape)
        _sample(self.root, self.theta, self.widths(), self._keys, self._t, sampled)
        return self.task.action_set.argmax(sampled)

    def _learn(self, contexts, actions, reward, observed) -> None:
        points, only = actions[:, :, None], np.zeros(self.n, np.int64)
        bad = absorb_root(self.root, self.theta, points, only, reward, observed)
        reject(bad, "a coordinate")
        self._t += observed


@compiled
def _sample(root, theta, width, keys, t, sampled):
    """Write theta + width L z (n, d), z the standard normals of each replicate's round."""
    n, dim = theta.shape
    z, spread = np.empty(dim), np.empty(dim)
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], t[i], z)
        for j in range(dim):
            spread[j] = 0.0
        for r in range(dim):
            weight = z[r]
            for j in range(dim):
                spread[j] += weight * root[i, r, j]
        for j in range(dim):
            sampled[i, j] = theta[i, j] + width[i] * spread[j]
