r"""The forward algorithm without a ridge."""

from dataclasses import dataclass

import numpy as np

from agents.parts.estimators.forward_ridge import ForwardArms
from agents.parts.estimators.row_regression import Rows
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, ruled


@dataclass(frozen=True, kw_only=True)
class ForwardLeastSquares(Checked):
    r"""Least squares on the past rows and the predicted row, whose outcome counts as 0.

    .. math:: \theta(x) = \Bigl(\sum_s x_s x_s^\top + x x^\top\Bigr)^+ \sum_s y_s x_s,

    which is the minimiser of least norm. With the :math:`m = x^\top\hat\theta` of least squares on
    the past rows and :math:`w = x^\top (\sum_s x_s x_s^\top)^+ x`, mean and variance are exactly

    .. math:: x^\top\theta(x) = \frac{m}{1 + w}, \qquad
        x^\top \Bigl(\sum_s x_s x_s^\top + x x^\top\Bigr)^+ x = \frac{w}{1 + w}

    if x is in the span of the past rows, and 0 and 1 if it is not. Predictions do not depend on the
    scale of the features.

    The state offers ``predict(contexts)`` -> mean and variance, both (n, 1), and ``update(..)``. It
    is kept as a triangular factor, never as a Gram matrix (see ``banditgym.linalg.triangular``). A
    round costs :math:`O(d^2)`. Memory: n (d (d + 5) / 2 + 2) numbers.

    The estimator is for tasks with one row per round.

    Parameters
    ----------
    rcond : float
        In [0, 1). The component of a row outside the span of the past rows counts as rounding error
        if its length is at most this share of the row's. (A threshold on singular values would
        compare every row with the longest one.)

    References
    ----------
    P. Gaillard, S. Gerchinovitz, M. Huard, G. Stoltz. Uniform Regret Bounds over R^d for the
    Sequential Linear Regression Problem with the Square Loss. ALT 2019, section 3.
    """

    rcond: float = checked(ruled(lambda x: 0 <= x < 1, "must be in [0, 1)"), 1e-10)

    def reset(self, task: FeatureTask, n: int) -> ForwardArms:
        """The state before any data, for n replicates of a task."""
        if task.n_arms != 1:
            raise ValueError(f"ForwardLeastSquares predicts one row a round, got {task.n_arms}")
        model = Rows.initial(task, n, 0.0, float(self.rcond))
        return ForwardArms(model, np.zeros((n, 1)), np.zeros((n, 1)))
