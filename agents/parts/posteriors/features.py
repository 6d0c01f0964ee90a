r"""The posterior of a function that is linear in fixed features of the arms."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.root_fixed import absorb_root_fixed, sample_root_fixed, weighted_sums
from banditgym.linalg.orthogonal import triangle


@dataclass(eq=False)
class FeatureRegression:
    r"""Bayesian linear regression on features :math:`z(x)` of fixed arms.

    With the features :math:`Z_t` (t, m) of the arms played, their rewards y and
    :math:`V = Z_t^\top Z_t + \lambda I`,

    .. math:: \mu(x) = z(x)^\top V^{-1} Z_t^\top y, \qquad
        \sigma^2(x) = z(x)^\top V^{-1} z(x) + c(x),

    where variances are on the scale on which :math:`z(x)^\top z(x)/\lambda` is the prior's; c(x) is
    0 unless a posterior defines it. Mean and variance of all arms are kept. A pull costs
    O(K m + m²); ``agents.numerics.root_fixed`` states how they are kept exact and the additional
    cost of the first pulls. If there are more features than arms, they are rotated into K features,
    the triangular factor of Z, which changes no inner product.

    Memory: n (m² + 4 K + 2) numbers, m at most K, and for the features and c another (m + 1) K:
    once where all replicates share them, else n times.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        The current mean and variance of every arm.
    log_det : ndarray of shape (n,)
        :math:`\log\det(V/\lambda)`.
    pulls : ndarray of shape (n,), int64
        Pulls so far.
    counts : ndarray of shape (n, K), int64
        Pulls of every arm.
    features : ndarray of shape (n, m, K) or (1, m, K)
        The features, one copy where all replicates share them.
    constant : ndarray of shape (n, K) or (1, K)
        c, the part of the variance that no pull reduces.
    root : ndarray of shape (n, m, m)
        L with :math:`L L^\top = V^{-1}`.
    computed : ndarray of shape (n, K)
        The variances when they were last computed from the root.
    joint : bool
        Whether mean and variance are those of one Gaussian process, so that it can be sampled.
    """

    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    pulls: np.ndarray
    counts: np.ndarray
    features: np.ndarray
    constant: np.ndarray
    root: np.ndarray
    computed: np.ndarray
    joint: bool

    @classmethod
    def prior(
        cls, features: np.ndarray, squares: np.ndarray, variances: np.ndarray, *, n: int,
        ridge: float, joint: bool = True,
    ) -> "FeatureRegression":  # fmt: skip
        r"""The posterior before any data, for n replicates.

        Parameters
        ----------
        features : ndarray of shape (n, m, K) or (1, m, K)
        squares, variances : ndarray of shape (n, K) or (1, K)
            :math:`z^\top z` and :math:`z^\top z + \lambda c` by definition, so that values that are
            equal by definition tie, whatever rounding there was in the features.
        ridge : float
            :math:`\lambda`.
        joint : bool
            Whether it may be sampled.
        """
        _, dim, n_arms = features.shape
        if dim > n_arms:
            features = np.stack([triangle(z) for z in features])
            dim = n_arms
        variance = np.empty((n, n_arms))
        variance[:] = variances / ridge
        return cls(
            mean=np.zeros((n, n_arms)),
            variance=variance,
            log_det=np.zeros(n),
            pulls=np.zeros(n, np.int64),
            counts=np.zeros((n, n_arms), np.int64),
            features=np.ascontiguousarray(features),
            constant=np.ascontiguousarray((variances - squares) / ridge),
            root=np.tile(np.eye(dim) / np.sqrt(ridge), (n, 1, 1)),
            computed=variance.copy(),
            joint=joint,
        )

    def predict(self, contexts: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        return self.mean, self.variance

    def update(
        self, contexts: Any, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray,
        settle: None = None,
    ) -> None:  # fmt: skip
        """Learn the rewards (n,) of the arms (n,) where observed (n,).

        Raises
        ------
        ValueError
            If ``settle`` is given: these posteriors are updated at every pull.
        """
        if settle is not None:
            raise ValueError("a posterior with fixed features is updated at every pull")
        absorb_root_fixed(
            self.root, self.mean, self.variance, self.computed, self.log_det,
            self.features, self.constant, arms, reward, observed,
        )  # fmt: skip
        self.counts[np.arange(len(arms)), arms] += observed
        self.pulls += observed

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) over all pulls of the present variance of their arms."""
        sums = np.empty(len(self.pulls))
        weighted_sums(self.counts, self.variance, sums)
        return sums

    def sample(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> np.ndarray:
        r"""A draw (n, K) of :math:`z(x)^\top\tilde\theta`, with
        :math:`\tilde\theta \sim \mathcal{N}(V^{-1} Z_t^\top y, \text{scale}^2 V^{-1})`.

        Parameters
        ----------
        keys : ndarray of shape (n, 2)
            Keys of a ``banditgym.streams.Stream``.
        t, scale : ndarray of shape (n,)
            The number of the draw, and the factor of the standard deviation.

        Raises
        ------
        ValueError
            If the variance is not that of a Gaussian process.
        """
        if not self.joint:
            raise ValueError("no Gaussian process has this variance: nothing can be sampled")
        sampled = np.empty_like(self.mean)
        sample_root_fixed(self.root, self.mean, scale, keys, t, self.features, sampled)
        return sampled


def fixed_arms_refusal(task: Any) -> str | None:
    """Why fixed features do not serve a task; None where they do."""
    if not task.fixed_arms:
        return "fixed features need fixed arms, and here every round has arms of its own"
    return None
