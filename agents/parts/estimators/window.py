r"""Ridge regression on a sliding window."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import check_lengths
from agents.numerics.ridge.cholesky import LONGEST_SUMMED, absorb_window, predict_factored
from agents.parts.estimators.ridge import INVERTIBLE
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, memory, whole


@dataclass(frozen=True, kw_only=True)
class Window(Checked):
    r"""The ridge estimate from the last W observations alone.

    .. math:: \hat\theta_t = V^{-1} \sum_{s = \max(1, t - W)}^{t - 1} r_s x_s, \qquad
        V = \lambda I + \sum_{s = \max(1, t - W)}^{t - 1} x_s x_s^\top.

    The state offers ``predict(contexts)`` -> mean :math:`x^\top\hat\theta` and variance
    :math:`x^\top V^{-1} x` of every arm, both (n, K), and ``update(..)``. The new sample is added
    to the Gram matrix and the oldest is subtracted. The matrix is summed anew before rounding
    errors matter (see ``agents.numerics.ridge.cholesky.absorb_window``), and is factored once a
    round. A round costs :math:`O(d^3 + K d^2)`, even if the arms are fixed.

    Memory: n (W (d + 1) + d² + d + 2 K + 5) numbers.

    Parameters
    ----------
    window : int
        W >= 1, in observations.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    W. C. Cheung, D. Simchi-Levi, R. Zhu. Learning to Optimize under Non-Stationarity.
    AISTATS 2019, section 4.
    """

    window: int = checked(whole, 200)
    ridge: float = checked(INVERTIBLE, 1.0)

    def reset(self, task: FeatureTask, n: int) -> "WindowArms":
        """The state before any data, for n replicates of a task."""
        check_lengths(task, self.ridge, LONGEST_SUMMED)
        dim, shape = task.dim, (n, task.n_arms)
        if n * self.window * dim * 8 > memory():  # numpy raises another error for huge shapes
            raise MemoryError(f"of a window of {self.window} rounds")
        return WindowArms(
            ridge=float(self.ridge),
            gram=np.tile(self.ridge * np.eye(dim), (n, 1, 1)),
            moment=np.zeros((n, dim)),
            samples=np.zeros((n, self.window, dim)),
            paid=np.zeros((n, self.window)),
            count=np.zeros(n, np.int64),
            size=np.zeros((n, 2)),
            moved=np.zeros((n, 2)),
            mean=np.zeros(shape),
            variance=np.zeros(shape),
        )


class WindowArms(NamedTuple):
    """Ridge regression on the window of n replicates.

    Attributes
    ----------
    gram : ndarray of shape (n, d, d)
        V.
    moment : ndarray of shape (n, d)
        The sum of r x.
    samples, paid : ndarray of shape (n, W, d) and (n, W)
        Features and rewards of the window; observation number s lies at s modulo W.
    count : ndarray of shape (n,)
        Number of observations so far.
    size, moved : ndarray of shape (n, 2)
        Sizes of the sums and of their changes, which decide when to sum anew.
    mean, variance : ndarray of shape (n, K)
        Those of the arms last predicted.
    """

    ridge: float
    gram: np.ndarray
    moment: np.ndarray
    samples: np.ndarray
    paid: np.ndarray
    count: np.ndarray  # pyright: ignore[reportIncompatibleMethodOverride]
    size: np.ndarray
    moved: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        sums = self.gram, self.gram[:, :0], self.moment
        predicted = self.mean, self.variance, self.variance[:, :0]
        reject(predict_factored(sums, self.ridge, contexts, predicted), "a feature")
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,), and forget the oldest."""
        reject(absorb_window(self, contexts, arms, reward, observed), "a feature")
