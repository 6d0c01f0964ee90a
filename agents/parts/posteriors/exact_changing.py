r"""The exact posterior of a Gaussian process where arms change, or are those of a box."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import reject
from agents.numerics.kernel_factor import absorb_point, predict_points
from banditgym.covariances import Covariance
from banditgym.elementary import each_log1p

_CAPACITY = 32  # pulls that there is room for at first


@dataclass(eq=False)
class ChangingArms:
    r"""The exact posterior from all pulls: covariances of a round's arms with the t points pulled.

    A round costs :math:`O(K t d + K t^2)` per replicate. Memory: n (t² + t d + 2 t + 2 K) numbers,
    up to 2.25 times that.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        Of the arms last predicted.
    log_det, effective, pulls : ndarray of shape (n,)
        :math:`\log\det(K_t / \lambda + I)`, the effective dimension, and t.
    points : ndarray of shape (n, capacity, d)
        The points pulled.
    factor : ndarray of shape (n, capacity, capacity)
        The Cholesky factor L of :math:`K_t / \lambda + I`.
    whitened : ndarray of shape (n, capacity)
        :math:`L^{-1} y`.
    """

    covariance: Covariance
    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    effective: np.ndarray
    pulls: np.ndarray
    points: np.ndarray
    factor: np.ndarray
    whitened: np.ndarray

    @classmethod
    def prior(cls, task: Any, *, n: int, covariance: Covariance, ridge: float) -> "ChangingArms":
        """The state before any data, for n replicates of a task."""
        return cls(
            covariance=covariance,
            ridge=float(ridge),
            mean=np.zeros((n, task.n_arms or 0)),
            variance=np.zeros((n, task.n_arms or 0)),
            log_det=np.zeros(n),
            effective=np.zeros(n),
            pulls=np.zeros(n, np.int64),
            points=np.zeros((n, _CAPACITY, task.dim)),
            factor=np.zeros((n, _CAPACITY, _CAPACITY)),
            whitened=np.zeros((n, _CAPACITY)),
        )

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) of the present variances of all pulls; not to be written."""
        return self.effective

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of arms (n, d, K); overwritten next time."""
        finite = np.isfinite(contexts).all(axis=(1, 2))
        reject(-1 if finite.all() else int(np.argmin(finite)), "a feature")
        mean, variance = self.mean, self.variance
        if mean.shape[1] != contexts.shape[2]:  # on a box the number of points varies
            mean, variance = np.empty((2, len(contexts), contexts.shape[2]))
        for i, arms in enumerate(contexts):
            cross, prior = self._kernel(i, arms.T)
            predict_points(self.factor[i], self.whitened[i], cross, prior, mean[i], variance[i])
        return mean, variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray,
        settle: None = None,
    ) -> None:  # fmt: skip
        """Learn the rewards (n,) of the arms (n,) among (n, d, K), where observed (n,).

        Raises
        ------
        ValueError
            If ``settle`` is given, because batches need fixed arms; or if a feature is not finite,
            before anything is learned.
        """
        if settle is not None:
            raise ValueError("the posterior of changing arms is updated at every pull")
        points = contexts[np.arange(len(arms)), :, arms]  # (n, d)
        finite = np.isfinite(points).all(axis=1) | ~observed
        reject(-1 if finite.all() else int(np.argmin(finite)), "a feature")
        for i in np.flatnonzero(observed).tolist():
            cross, prior = self._kernel(i, points[i : i + 1])
            variance, grown = absorb_point(
                self.factor[i], self.whitened[i], cross, prior[0], reward[i]
            )
            self.points[i, self.pulls[i]] = points[i]
            self.log_det[i] += each_log1p(variance)
            self.effective[i] += grown
            self.pulls[i] += 1
        if self.pulls.max() == self.points.shape[1]:
            self._grow()

    def _kernel(self, i: int, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Over the ridge: covariances (t, m) of replicate i's points with arms (m, d), and the arms'
        # variances (m,).
        cross = self.covariance(self.points[i, : self.pulls[i]], arms)
        cross /= self.ridge
        return cross, self.covariance.diagonal(arms) / self.ridge

    def _grow(self) -> None:
        n, old, dim = self.points.shape
        capacity = old + old // 2
        points, factor = np.zeros((n, capacity, dim)), np.zeros((n, capacity, capacity))
        whitened = np.zeros((n, capacity))
        points[:, :old], factor[:, :old, :old] = self.points, self.factor
        whitened[:, :old] = self.whitened
        self.points, self.factor, self.whitened = points, factor, whitened
