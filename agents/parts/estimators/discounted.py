r"""Discounted ridge regression: the weight of past rounds decays."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import check_lengths
from agents.numerics.ridge.cholesky import LONGEST_SUMMED, absorb_discounted, predict_factored
from agents.parts.estimators.ridge import INVERTIBLE
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, flag, ruled


@dataclass(frozen=True, kw_only=True)
class Discounted(Checked):
    r"""The ridge estimate in which round s of the past t - 1 has weight :math:`\gamma^{t-1-s}`.

    .. math:: \hat\theta_t = V^{-1} b, \quad b = \sum_s \gamma^{t-1-s} r_s x_s, \quad
        V = \lambda I + \sum_s \gamma^{t-1-s} x_s x_s^\top, \quad
        V_2 = \lambda I + \sum_s \gamma^{2(t-1-s)} x_s x_s^\top

    The ridge is not discounted. The state offers ``predict(contexts)`` -> mean :math:`m =
    x^\top\hat\theta` and variance :math:`q = x^\top V^{-1} V_2 V^{-1} x` of every arm, both (n, K),
    and ``update(..)``. With ``forward``, x counts in V as if it had been played for a reward of 0;
    then mean and variance are :math:`m / (1 + w)` and :math:`(q + w^2) / (1 + w)^2` with :math:`w =
    x^\top V^{-1} x`.

    A round factors V once, in :math:`O(d^3 + K d^2)`, even where the arms are fixed, because there
    is no rank-one update. Memory: n (2 d² + d + 3 K) numbers.

    Parameters
    ----------
    discount : float
        :math:`\gamma`, in (0, 1]; with 1 all rounds have the same weight.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    forward : bool
        Whether the predicted arm counts as played.

    References
    ----------
    Y. Russac, C. Vernade, O. Cappé. Weighted Linear Bandits for Non-Stationary Environments.
    NeurIPS 2019, section 2. :math:`V_2` is that of the paper; the authors' published code squares
    the V that is already updated.
    """

    discount: float = checked(ruled(lambda x: 0 < x <= 1, "must be in (0, 1]"), 0.995)
    ridge: float = checked(INVERTIBLE, 1.0)
    forward: bool = checked(flag, False)

    def reset(self, task: FeatureTask, n: int) -> "DiscountedArms":
        """The state before any data, for n replicates of a task."""
        check_lengths(task, self.ridge, LONGEST_SUMMED)
        dim, shape = task.dim, (n, task.n_arms)
        gram = np.tile(self.ridge * np.eye(dim), (n, 1, 1))
        return DiscountedArms(
            float(self.discount),
            float(self.ridge),
            self.forward,
            gram,
            gram.copy(),
            np.zeros((n, dim)),
            *(np.zeros(shape) for _ in range(3)),
        )


class DiscountedArms(NamedTuple):
    """Discounted ridge regression of n replicates.

    Attributes
    ----------
    gram, squared_gram : ndarray of shape (n, d, d)
        V and V2.
    moment : ndarray of shape (n, d)
        b.
    mean, leverage, variance : ndarray of shape (n, K)
        m, w and q of the arms last predicted; with ``forward``, its mean and variance for m and q.
    """

    discount: float
    ridge: float
    forward: bool
    gram: np.ndarray
    squared_gram: np.ndarray
    moment: np.ndarray
    mean: np.ndarray
    leverage: np.ndarray
    variance: np.ndarray

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        sums = self.gram, self.squared_gram, self.moment
        predicted = self.mean, self.leverage, self.variance
        reject(predict_factored(sums, self.ridge, contexts, predicted), "a feature")
        if self.forward:
            shrink = 1 / (1 + self.leverage)
            self.mean[:] *= shrink
            # squares of w / (1 + w), not of w, which may overflow
            share = self.leverage * shrink
            self.variance[:] = self.variance * (shrink * shrink) + share * share
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Discount the past and learn the rewards (n,) of the arms (n,) where observed (n,)."""
        reject(absorb_discounted(self, contexts, arms, reward, observed), "a feature")
