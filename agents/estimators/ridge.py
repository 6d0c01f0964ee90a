r"""Ridge regression shared by all arms."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import reject
from banditgym.linalg.inverse import LONGEST, absorb, absorb_fixed, absorb_kernel, predict


@dataclass(frozen=True, kw_only=True)
class Ridge:
    r"""The ridge estimate of a parameter shared by all arms.

    .. math:: \hat\theta = V^{-1} \sum_s r_s x_s, \qquad
        V = \lambda I + \sum_s x_s x_s^\top.

    Its state offers ``predict(contexts)`` -> mean :math:`x^\top\hat\theta` and variance
    :math:`x^\top V^{-1} x` of every arm, both (n, K), ``update(..)`` and ``log_det`` (n,), the
    log-determinant of :math:`V/\lambda`. Where the arms are fixed, mean and variance are kept
    rather than computed: in a K x K form if K <= d, else in O(K d + d²) a round.

    Memory: n (d² + 2 K) numbers with fresh arms; n (min(d, K)² + K d + 2 K) with fixed ones.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    """

    ridge: float = 1.0

    def __post_init__(self):
        if not 0 < self.ridge < np.inf:
            raise ValueError(f"ridge must be > 0 for V to be invertible, got {self.ridge}")

    def reset(self, task: Any, n: int) -> "FreshArms | FixedArms":
        """The state before any data, for n replicates of a task."""
        shape = (n, task.n_arms)
        shared = (self.ridge, np.zeros(shape), np.zeros(shape), np.zeros(n))
        if task.fixed_arms:
            empty = np.zeros((n, 0, 0))
            return FixedArms(*shared, features=empty, inverse_gram=empty, kernel=empty)
        identity = np.tile(np.eye(task.dim) / self.ridge, (n, 1, 1))
        return FreshArms(*shared, inverse_gram=identity, theta=np.zeros((n, task.dim)))


@dataclass(eq=False)
class FreshArms:
    """Ridge regression where every round brings its own features.

    Attributes
    ----------
    inverse_gram : ndarray of shape (n, d, d)
        The inverse of V.
    theta : ndarray of shape (n, d)
        The ridge estimate.
    log_det : ndarray of shape (n,)
        log det V - d log ridge.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    inverse_gram: np.ndarray
    theta: np.ndarray

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        bad = predict(self.inverse_gram, self.theta, contexts, self.mean, self.variance)
        reject(bad, "a feature")
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        bad = absorb(
            self.inverse_gram, self.theta, self.log_det, contexts, arms, reward, observed
        )  # fmt: skip
        reject(bad, "a feature")


@dataclass(eq=False)
class FixedArms:
    """Ridge regression where the arms of an episode are those of its first round.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        Of every arm, kept up to date.
    log_det : ndarray of shape (n,)
        log det V - d log ridge.
    features : ndarray of shape (n, d, K)
        The arms; empty before the first round.
    kernel : ndarray of shape (n, K, K)
        X V^{-1} X^T where K <= d, else empty.
    inverse_gram : ndarray of shape (n, d, d)
        The inverse of V where K > d, else empty.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    features: np.ndarray
    inverse_gram: np.ndarray
    kernel: np.ndarray

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        if not self.features.size:
            self._meet(contexts)
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        if not self.features.size:
            self._meet(contexts)
        if self.kernel.size:
            absorb_kernel(
                self.kernel, self.mean, self.variance, self.log_det, arms, reward, observed
            )
        else:
            absorb_fixed(
                self.inverse_gram, self.mean, self.variance, self.log_det, self.features,
                arms, reward, observed,
            )  # fmt: skip

    def _meet(self, contexts: np.ndarray) -> None:
        finite = np.isfinite(contexts).all(axis=(1, 2))
        reject(-1 if finite.all() else int(np.argmin(finite)), "a feature")
        n, dim, n_arms = contexts.shape
        variance = (contexts * contexts).sum(axis=1) / self.ridge
        long = (variance > LONGEST).any(axis=1)
        reject(-2 - int(np.argmax(long)) if long.any() else -1, "a feature")
        self.features = contexts.copy()
        self.variance[:] = variance
        if n_arms <= dim:
            # One product per replicate: a batched one might differ with n in the last bit.
            self.kernel = np.stack([x.T @ x / self.ridge for x in contexts])
        else:
            self.inverse_gram = np.tile(np.eye(dim) / self.ridge, (n, 1, 1))
