"""The Nyström posterior where arms change, or are the points of a box."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import reject
from agents.numerics.nystrom_embedding import embed, score
from agents.parts.posteriors.inclusions import draw_pulls, inclusion_keys, widened
from banditgym.covariances import Covariance


@dataclass(eq=False)
class ChangingNystromArms:
    r"""All points pulled are stored, and embedded anew in every round, with the round's arms.

    Every pull is a point of its own, even if points coincide. With m inducing points a prediction
    costs O(K m²) per replicate, and an update after t pulls O(t m² + m³).

    Memory: n (t (d + 3) + 2 m² + 2 K) numbers, and up to four times that in room to grow.

    Attributes
    ----------
    pulls : ndarray of shape (n,)
        Pulls so far, t.
    points : ndarray of shape (n, capacity, d)
        The arms pulled.
    paid, spread : ndarray of shape (n, capacity)
        Their rewards, and the current variances there.
    inducing : ndarray of shape (n, capacity)
        The first ``count`` (n,) are inducing points, as indices into ``points``.
    rank, triangular : ndarray of shape (n,)
        As in ``agents.numerics.nystrom_embedding``.
    whitening, solver, coefficients : ndarray of shape (n, room, room), and (n, room)
        Likewise.
    """

    batches: ClassVar[bool] = False

    qbar: float
    ridge: float
    covariance: Covariance
    keys: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    pulls: np.ndarray
    points: np.ndarray
    paid: np.ndarray
    spread: np.ndarray
    inducing: np.ndarray
    count: np.ndarray
    rank: np.ndarray
    triangular: np.ndarray
    whitening: np.ndarray
    solver: np.ndarray
    coefficients: np.ndarray

    @classmethod
    def start(
        cls, task: Any, n: int, seeds: Any, covariance: Covariance, ridge: float, qbar: float
    ) -> "ChangingNystromArms":
        """The state before any data, for n replicates of a task."""
        return cls(
            qbar=qbar,
            ridge=ridge,
            covariance=covariance,
            keys=inclusion_keys(seeds),
            mean=np.zeros((n, task.n_arms or 0)),
            variance=np.zeros((n, task.n_arms or 0)),
            pulls=np.zeros(n, np.int64),
            points=np.zeros((n, 0, task.dim)),
            paid=np.zeros((n, 0)),
            spread=np.zeros((n, 0)),
            inducing=np.zeros((n, 0), np.int64),
            count=np.zeros(n, np.int64),
            rank=np.zeros(n, np.int64),
            triangular=np.ones(n, bool),
            whitening=np.zeros((n, 0, 0)),
            solver=np.zeros((n, 0, 0)),
            coefficients=np.zeros((n, 0)),
        )

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms (n, d, K); overwritten next time."""
        finite = np.isfinite(contexts).all(axis=(1, 2))
        reject(-1 if finite.all() else int(np.argmin(finite)), "an arm")
        mean, variance = self.mean, self.variance
        if mean.shape[1] != contexts.shape[2]:  # on a box the number of points varies
            mean, variance = np.empty((2, len(contexts), contexts.shape[2]))
        for i, arms in enumerate(contexts):
            inducing = self.points[i, self.inducing[i, : self.count[i]]]
            kernel = self.covariance(inducing, arms.T)
            self._score(i, kernel, arms.T, mean[i], variance[i])
        return mean, variance

    def update(
        self,
        contexts: np.ndarray,
        arms: np.ndarray,
        reward: np.ndarray,
        observed: np.ndarray,
        settle: None = None,
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) among (n, d, K), where observed (n,)."""
        if not observed.any():
            return
        chosen = contexts[np.arange(len(arms)), :, arms]  # (n, d)
        bad = observed & ~np.isfinite(chosen).all(axis=1)
        reject(int(np.argmax(bad)) if bad.any() else -1, "an arm")
        most = int(self.pulls.max()) + 1
        if most > self.paid.shape[1]:
            grown = np.zeros((len(arms), 2 * most, chosen.shape[1]))
            grown[:, : self.points.shape[1]] = self.points
            self.points = grown
            self.paid, self.spread, self.inducing = (
                widened(x, most) for x in (self.paid, self.spread, self.inducing)
            )
        unused = np.empty(1)
        for i in np.flatnonzero(observed):
            t, point = self.pulls[i], chosen[i : i + 1]
            inducing = self.points[i, self.inducing[i, : self.count[i]]]
            kernel = self.covariance(inducing, point)
            self._score(i, kernel, point, unused, self.spread[i, t : t + 1])
            self.points[i, t] = point
            self.paid[i, t] = reward[i]
            self.pulls[i] += 1
        draw_pulls(
            self.keys, self.pulls, self.qbar, self.spread, self.inducing, self.count, observed
        )
        most = int(self.count.max())
        if most > self.solver.shape[1]:
            self.whitening, self.solver, self.coefficients = (
                widened(x, most) for x in (self.whitening, self.solver, self.coefficients)
            )
        for i in np.flatnonzero(observed):
            self._embed(int(i))

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) over all pulls of the current variances there."""
        return np.array([x[:t].sum() for x, t in zip(self.spread, self.pulls, strict=True)])

    def _embed(self, i: int) -> None:
        t = self.pulls[i]
        seen, inducing = self.points[i, :t], self.inducing[i, : self.count[i]]
        across = self.covariance(seen[inducing], seen)
        inner = np.ascontiguousarray(across[:, inducing])
        self.rank[i], self.triangular[i] = embed(
            inner, across, np.ones(t), self.paid[i, :t], self.ridge, self.whitening[i],
            self.solver[i], self.coefficients[i],
        )  # fmt: skip
        self._score(i, across, seen, np.empty(t), self.spread[i, :t])

    def _score(self, i, kernel, points, mean, variance) -> None:
        score(
            kernel, np.arange(len(kernel)), self.covariance.diagonal(points), self.ridge,
            self.whitening[i], self.solver[i], self.coefficients[i], int(self.rank[i]),
            bool(self.triangular[i]), mean, variance,
        )  # fmt: skip
