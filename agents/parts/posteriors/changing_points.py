"""Posteriors of points that change from round to round, or that are the points of a box."""

from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.parts.posteriors.posterior import PosteriorState


class ChangingPoints(PosteriorState):
    """A state for points that may differ between rounds and replicates."""

    of: ClassVar[str] = "a feature"  # what is not finite, in errors

    def __init__(self, n: int, n_arms: int | None):
        self.mean, self.variance = np.zeros((2, n, n_arms or 0))
        self.pulls = np.zeros(n, np.int64)

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of arms (n, d, K); overwritten next time."""
        self._check(contexts, np.ones(len(contexts), bool))
        mean, variance = self.mean, self.variance
        if mean.shape[1] != contexts.shape[2]:  # on a box the number of points varies
            mean, variance = np.empty((2, len(contexts), contexts.shape[2]))
        for i, arms in enumerate(contexts):
            self._predict(i, arms.T, mean[i], variance[i])
        return mean, variance

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        if ends is not None:
            raise ValueError("the posterior of changing arms is updated at every pull")
        points = contexts[np.arange(len(arms)), :, arms]  # (n, d)
        self._check(points, observed)
        for i in np.flatnonzero(observed).tolist():
            self._absorb(i, points[i : i + 1], reward[i])
            self.pulls[i] += 1

    def _check(self, points: np.ndarray, used: np.ndarray) -> None:
        finite = np.isfinite(points)
        if not finite.all():
            bad = used & ~finite.reshape(len(points), -1).all(axis=1)
            reject(int(np.argmax(bad)) if bad.any() else -1, self.of)

    def _predict(self, i: int, points: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> None:
        """Write mean and variance (m,) of replicate i at points (m, d)."""
        raise NotImplementedError

    def _absorb(self, i: int, point: np.ndarray, y: float) -> None:
        """Learn the outcome of one point (1, d) in replicate i."""
        raise NotImplementedError
