"""The state of least-squares estimators for tasks with one row per round."""

from dataclasses import dataclass

import numpy as np

from agents.agent import reject
from banditgym.elementary import each_log
from banditgym.linalg.triangular import (
    LONGEST_ROW,
    absorb_row,
    initial_factor,
    pivots,
    predict_row,
)
from banditgym.tasks import FeatureTask


@dataclass(eq=False)
class Rows:
    """Least squares of n replicates, with or without a ridge, as a triangular factor.

    Attributes
    ----------
    ridge : float
        0 for none.
    tolerance : float
        The component of a row outside the span of the past rows counts as rounding error if its
        length is at most this share of the row's.
    factor : ndarray of shape (groups, d (d + 5) / 2, lanes)
        The past rows and outcomes; see ``banditgym.linalg.triangular``.
    mean, variance : ndarray of shape (n, 1)
        Those of the rows last predicted.
    """

    ridge: float
    tolerance: float
    factor: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    @classmethod
    def initial(cls, task: FeatureTask, n: int, ridge: float, tolerance: float) -> "Rows":
        """The state before any data, for n replicates of a task."""
        bound = task.feature_norm
        if bound is not None and not bound <= LONGEST_ROW:
            raise ValueError(f"features may be as long as {bound:g}, which is too long: scale them")
        factor = initial_factor(n, task.dim, ridge)
        return cls(ridge, tolerance, factor, np.zeros((n, 1)), np.zeros((n, 1)))

    @property
    def log_det(self) -> np.ndarray:
        """log det V - d log ridge, (n,), where there is a ridge."""
        growth = each_log(self.factor[:, pivots(self.factor.shape[1])] / self.ridge)
        return np.cumsum(growth, axis=1)[:, -1].ravel()[: len(self.mean)]

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, 1) of the rows (n, d, 1); overwritten next time.

        Without a ridge they are 0 and infinity if a row is outside the span of the past rows.
        """
        check_rows(predict_row(self.factor, contexts, self.tolerance, self.mean, self.variance))
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the outcomes (n,) of the rows (n, d, 1) where observed (n,); all arms are 0."""
        residual = np.empty(len(reward))  # not used here
        check_rows(absorb_row(self.factor, contexts, reward, observed, self.tolerance, residual))


def check_rows(bad: int) -> None:
    """Raise for the replicate that a kernel of ``linalg.triangular`` returned as bad."""
    if bad < -1:
        raise ValueError(f"the features of replicate {-2 - bad} are too long: scale them")
    reject(bad, "a feature")
