"""The Nyström posterior if arms change, or are the points of a box."""

from typing import ClassVar

import numpy as np

from agents.numerics.kernel.nystrom_embedding import Embedding, embed, score
from agents.numerics.kernel.nystrom_pulls import draw_pulls
from agents.parts.posteriors.changing_points import ChangingPoints
from agents.parts.posteriors.growing import lengthen, longer
from agents.storage.loadable import Loadable
from banditgym.functions.covariances import Covariance
from banditgym.tasks import KernelTask


class NystromOnChangingArms(ChangingPoints):
    r"""All points pulled are stored, and embedded anew in every round, with the round's arms.

    Every pull is a separate point, even if points coincide. With m inducing points a prediction
    costs O(K m²) per replicate, and an update after t pulls O(t m² + m³).

    Memory: n (t (d + 3) + 2 m² + 2 K) numbers, and up to four times that in room to grow.

    Attributes
    ----------
    points : ndarray of shape (n, capacity, d)
        The arms pulled.
    paid, spread : ndarray of shape (n, capacity)
        Their rewards, and the current variances there.
    inducing : ndarray of shape (n, capacity)
        The first ``count`` (n,) are inducing points, as indices into ``points``.
    rank, triangular : ndarray of shape (n,)
        As in ``agents.numerics.kernel.nystrom_embedding``.
    whitening, solver, coefficients : ndarray of shape (n, room, room), and (n, room)
        Likewise.
    """

    of: ClassVar[str] = "an arm"
    loadable: ClassVar = {
        "pulls": Loadable(most=lambda self: self.points.shape[1]),
        "points": Loadable("_ capacity _"),
        "inducing": Loadable(
            "_ capacity", most=lambda self: np.maximum(self.pulls - 1, 0)[:, None]
        ),
        "count": Loadable(most=lambda self: np.minimum(self.pulls, self.solver.shape[1])),
        "rank": Loadable(most=lambda self: self.count),
        "coefficients": Loadable("_ room"),
        "paid spread": Loadable("_ capacity"),
        "whitening solver": Loadable("_ room room"),
    }

    def __init__(
        self, task: KernelTask, keys: np.ndarray, covariance: Covariance, ridge: float, qbar: float
    ):
        n = len(keys)
        super().__init__(n, task.n_arms)
        self.qbar, self.ridge, self.covariance, self.keys = qbar, ridge, covariance, keys
        self.points = np.zeros((n, 0, task.dim))
        self.paid, self.spread, self.coefficients = np.zeros((3, n, 0))
        self.inducing = np.zeros((n, 0), np.int64)
        self.count, self.rank = np.zeros((2, n), np.int64)
        self.triangular = np.ones(n, bool)
        self.whitening, self.solver = np.zeros((2, n, 0, 0))

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        if not observed.any():
            return
        super().update(contexts, arms, reward, observed, ends)
        draw_pulls(
            self.keys, self.pulls, self.qbar, self.spread, self.inducing, self.count, observed
        )
        most = int(self.count.max())
        if most > self.solver.shape[1]:
            lengthen(self, 2 * most, "whitening", "solver", "coefficients")
        for i in np.flatnonzero(observed).tolist():
            self._embed(i)

    def _predict(self, i: int, points: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> None:
        inducing = self.points[i, self.inducing[i, : self.count[i]]]
        self._score(i, self.covariance(inducing, points), points, mean, variance)

    def _absorb(self, i: int, point: np.ndarray, y: float) -> None:
        n, t = self.paid.shape[0], int(self.pulls[i])
        if t == self.paid.shape[1]:
            self.points = longer(self.points, n, 2 * (t + 1))
            lengthen(self, 2 * (t + 1), "paid", "spread", "inducing")
        self._predict(i, point, np.empty(1), self.spread[i, t : t + 1])
        self.points[i, t], self.paid[i, t] = point, y

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) over all pulls of the current variances there."""
        return np.array([x[:t].sum() for x, t in zip(self.spread, self.pulls, strict=True)])

    def _embed(self, i: int) -> None:
        t = self.pulls[i]
        seen, inducing = self.points[i, :t], self.inducing[i, : self.count[i]]
        across = self.covariance(seen[inducing], seen)
        inner = np.ascontiguousarray(across[:, inducing])
        written = self.whitening[i], self.solver[i], self.coefficients[i]
        self.rank[i], self.triangular[i] = embed(
            inner, across, np.ones(t), self.paid[i, :t], self.ridge, *written
        )
        self._score(i, across, seen, np.empty(t), self.spread[i, :t])

    def _score(self, i, kernel, points, mean, variance) -> None:
        rank, triangular = int(self.rank[i]), bool(self.triangular[i])
        embedding = Embedding(
            self.whitening[i], self.solver[i], self.coefficients[i], rank, triangular
        )
        prior = self.covariance.diagonal(points)
        score(kernel, np.arange(len(kernel)), prior, self.ridge, embedding, mean, variance)
