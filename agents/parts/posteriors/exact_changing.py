r"""The exact posterior of a Gaussian process if arms change, or are the points of a box."""

from typing import ClassVar

import numpy as np

from agents.numerics.kernel.kernel_factor import absorb_point, predict_points
from agents.parts.posteriors.changing_points import ChangingPoints
from agents.parts.posteriors.growing import lengthen, longer, more
from agents.storage.loadable import Loadable
from banditgym.elementary import each_log1p
from banditgym.functions.covariances import Covariance
from banditgym.tasks import KernelTask

_CAPACITY = 32  # pulls that there is room for at first


class ExactOnChangingArms(ChangingPoints):
    r"""The exact posterior from all pulls: covariances of a round's arms with the t points pulled.

    A round costs :math:`O(K t d + K t^2)` per replicate. Memory: n (t² + t d + 2 t + 2 K) numbers,
    up to 2.25 times that.

    Attributes
    ----------
    points : ndarray of shape (n, capacity, d)
        The points pulled.
    factor : ndarray of shape (n, capacity, capacity)
        The Cholesky factor L of :math:`K_t / \lambda + I`.
    whitened : ndarray of shape (n, capacity)
        :math:`L^{-1} y`.
    """

    loadable: ClassVar = {
        "pulls": Loadable(most=lambda self: self.points.shape[1] - 1),
        "points": Loadable("_ capacity _"),
        "factor": Loadable("_ capacity capacity"),
        "whitened": Loadable("_ capacity"),
    }

    def __init__(self, task: KernelTask, n: int, covariance: Covariance, ridge: float):
        super().__init__(n, task.n_arms)
        self.covariance, self.ridge = covariance, ridge
        self.log_det, self.effective = np.zeros(n), np.zeros(n)
        self.points = np.zeros((n, _CAPACITY, task.dim))
        self.factor = np.zeros((n, _CAPACITY, _CAPACITY))
        self.whitened = np.zeros((n, _CAPACITY))

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        super().update(contexts, arms, reward, observed, ends)
        n, capacity, _ = self.points.shape
        if self.pulls.max() == capacity:
            self.points = longer(self.points, n, more(capacity))
            lengthen(self, more(capacity), "factor", "whitened")

    def _predict(self, i: int, points: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> None:
        cross, prior = self._kernel(i, points)
        predict_points(self.factor[i], self.whitened[i], cross, prior, -1.0, mean, variance)

    def _absorb(self, i: int, point: np.ndarray, y: float) -> None:
        cross, prior = self._kernel(i, point)
        variance, grown = absorb_point(self.factor[i], self.whitened[i], cross, prior[0], y)
        self.points[i, self.pulls[i]] = point[0]
        self.log_det[i] += each_log1p(variance)
        self.effective[i] += grown

    def _kernel(self, i: int, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Over the ridge: covariances (t, m) of replicate i's points with arms (m, d), and the arms'
        # variances (m,).
        cross = self.covariance(self.points[i, : self.pulls[i]], arms)
        cross /= self.ridge
        return cross, self.covariance.diagonal(arms) / self.ridge
