r"""Ridge regression shared by all arms."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import LONGEST, check_lengths
from agents.numerics.ridge.factor import absorb, initial
from agents.numerics.ridge.factor_contents import log_determinant, multiply, solve
from agents.numerics.ridge.factor_predictions import predict
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.row_regression import Rows
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, ruled

INVERTIBLE = ruled(lambda ridge: 0 < ridge < np.inf, "must be > 0 for V to be invertible")


@dataclass(frozen=True, kw_only=True)
class Ridge(Checked):
    r"""The ridge estimate of a parameter shared by all arms.

    .. math:: \hat\theta = V^{-1} \sum_s r_s x_s, \qquad
        V = \lambda I + \sum_s x_s x_s^\top.

    The state offers ``predict(contexts)`` -> mean :math:`x^\top\hat\theta` and variance
    :math:`x^\top V^{-1} x` of every arm, both (n, K), ``update(..)`` and ``log_det`` (n,), the
    log-determinant of :math:`V/\lambda`. V is kept as one triangular factor
    (``agents.numerics.ridge.factor`` states its accuracy and which features are refused). If the
    arms are fixed, means and variances are updated and not recomputed, in O(K d + d²) a round; if K
    <= d, only the K x K form is kept.

    Memory: n (d² + 3 d + 2 K) numbers with fresh arms, n (d (d + 5) / 2 + 2) with one row a round;
    with fixed arms n (2 K² + 5 K + 2) if K <= d, else n (d² + 3 d + K d + 3 K).

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    """

    ridge: float = checked(INVERTIBLE, 1.0)

    def reset(self, task: FeatureTask, n: int) -> "FreshArms | FixedArms | FewFixedArms | Rows":
        """The state before any data, for n replicates of a task."""
        dim, n_arms, ridge = task.dim, task.n_arms, float(self.ridge)
        if n_arms == 1 and not task.fixed_arms:
            return Rows.initial(task, n, ridge, 0.0)
        check_lengths(task, ridge, LONGEST)
        if task.fixed_arms:
            if n_arms <= dim:
                return FewFixedArms.initial(n, n_arms, ridge)
            return FixedArms.initial(n, dim, n_arms, ridge)
        return FreshArms.initial(n, dim, n_arms, ridge)


class FreshArms(NamedTuple):
    r"""Ridge regression with new features in every round.

    V is kept as :math:`V = U^\top D U` with U unit upper triangular and D diagonal.

    Attributes
    ----------
    upper : ndarray of shape (n, d, d)
        U; below its diagonal, 0.
    pivots : ndarray of shape (n, 2, d)
        D and 1 / D.
    moment : ndarray of shape (n, d)
        :math:`U \hat\theta`.
    mean, variance : ndarray of shape (n, K)
        Those of the arms last predicted.
    """

    ridge: float
    upper: np.ndarray
    pivots: np.ndarray
    moment: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    @classmethod
    def initial(cls, n: int, dim: int, n_arms: int, ridge: float) -> "FreshArms":
        """The state of n replicates."""
        mean, variance = np.zeros((2, n, n_arms))
        return cls(ridge, *initial(n, dim, ridge), mean, variance)

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        bad = predict(self.upper, self.pivots, self.moment, contexts, self.mean, self.variance)
        reject(bad, "a feature")
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        bad = absorb(
            self.upper, self.pivots, self.moment, self.ridge, contexts, arms, reward, observed
        )
        reject(bad, "a feature")

    @property
    def theta(self) -> np.ndarray:
        """The ridge estimate (n, d)."""
        return solve(self.upper, self.moment)

    @property
    def gram(self) -> np.ndarray:
        """V (n, d, d)."""
        return multiply(self.upper, self.pivots)

    @property
    def log_det(self) -> np.ndarray:
        """log det V - d log ridge, (n,)."""
        return log_determinant(self.pivots, self.ridge)
