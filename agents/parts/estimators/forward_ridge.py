r"""The forward algorithm: ridge regression that counts the predicted arm as played."""

import math
from dataclasses import dataclass

import numpy as np

from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.ridge import INVERTIBLE, FreshArms, Ridge
from agents.parts.estimators.row_regression import Rows
from banditgym.compiled import compiled
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked


@dataclass(frozen=True, kw_only=True)
class ForwardRidge(Checked):
    r"""The estimate of Vovk, Azoury and Warmuth: one for each arm x that it predicts.

    .. math:: \theta(x) = \arg\min_\theta \sum_s (r_s - x_s^\top\theta)^2
        + \lambda\lVert\theta\rVert^2 + (x^\top\theta)^2
        = (V + x x^\top)^{-1} \sum_s r_s x_s, \qquad V = \lambda I + \sum_s x_s x_s^\top.

    With ridge regression's m and :math:`w = x^\top V^{-1} x`, mean and variance are exactly

    .. math:: x^\top\theta(x) = \frac{m}{1 + w}, \qquad
        x^\top (V + x x^\top)^{-1} x = \frac{w}{1 + w}.

    The state offers ``predict(contexts)`` -> mean and variance of every arm, both (n, K), and
    ``update(..)``. A round costs as much as one of ``Ridge``; memory: 2 n K numbers more.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    V. Vovk. Competitive On-line Statistics. International Statistical Review 2001. K. Azoury,
    M. Warmuth. Relative Loss Bounds for On-line Density Estimation. Machine Learning 2001.
    """

    ridge: float = checked(INVERTIBLE, 1.0)

    def reset(self, task: FeatureTask, n: int) -> "ForwardArms":
        """The state before any data, for n replicates of a task."""
        shape = (n, task.n_arms)
        model = Ridge(ridge=self.ridge).reset(task, n)
        return ForwardArms(model, np.zeros(shape), np.zeros(shape))


@dataclass(eq=False)
class ForwardArms:
    """The forward algorithm of n replicates.

    Attributes
    ----------
    regression : FreshArms, FixedArms, FewFixedArms or Rows, of ``agents.estimators``
        The regression on the arms played.
    mean, variance : ndarray of shape (n, K)
        Those of the arms last predicted.
    """

    regression: FreshArms | FixedArms | FewFixedArms | Rows
    mean: np.ndarray
    variance: np.ndarray

    @property
    def log_det(self) -> np.ndarray:
        """log det V - d log ridge, (n,)."""
        return self.regression.log_det

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        count_as_played(*self.regression.predict(contexts), self.mean, self.variance)
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        self.regression.update(contexts, arms, reward, observed)


@compiled
def count_as_played(m, w, mean, variance):
    """Write the forward mean and variance (n, K) of arms with ridge regression's m and w."""
    n, n_arms = m.shape
    for i in range(n):
        for k in range(n_arms):
            shrink = 1.0 / (1.0 + w[i, k])
            mean[i, k] = m[i, k] * shrink
            # infinite without a ridge, where the arm has a new direction
            variance[i, k] = w[i, k] * shrink if w[i, k] < math.inf else 1.0
