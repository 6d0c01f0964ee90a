r"""The posterior of a function that is linear in fixed features of the arms."""

from operator import attrgetter

import numpy as np

from agents.numerics.ridge.root_fixed import (
    RootFixed,
    absorb_root_fixed,
    sample_root_fixed,
    weighted_sums,
)
from agents.parts.posteriors.posterior import PosteriorState
from banditgym.linalg.orthogonal import triangle

_ARRAYS = attrgetter(*RootFixed._fields)


class FeatureRegression(PosteriorState):
    r"""Bayesian linear regression on features :math:`z(x)` of fixed arms.

    With the features :math:`Z_t` (t, m) of the arms played, their rewards y and
    :math:`V = Z_t^\top Z_t + \lambda I`,

    .. math:: \mu(x) = z(x)^\top V^{-1} Z_t^\top y, \qquad
        \sigma^2(x) = z(x)^\top V^{-1} z(x) + c(x),

    where variances are on the scale on which :math:`z(x)^\top z(x)/\lambda` is the prior's; c(x) is
    0 unless a posterior defines it. Mean and variance of all arms are kept. A pull costs
    O(K m + m²); ``agents.numerics.ridge.root_fixed`` states how they are kept exact and the
    additional cost of the first pulls. If there are more features than arms, they are rotated into
    K features, the triangular factor of Z, which changes no inner product.

    Memory: n (m² + 4 K + 2) numbers, m at most K, and for the features and c another (m + 1) K:
    once where all replicates share them, else n times.

    Attributes
    ----------
    counts : ndarray of shape (n, K), int64
        Pulls of every arm.
    root, computed, features, constant
        As in ``agents.numerics.ridge.root_fixed.RootFixed``.
    joint : bool
        Whether mean and variance are those of one Gaussian process, so that it can be sampled.
    """

    def __init__(
        self,
        features: np.ndarray,
        squares: np.ndarray,
        variances: np.ndarray,
        *,
        n: int,
        ridge: float,
        joint: bool = True,
    ):
        r"""The posterior before any data, for n replicates.

        Parameters
        ----------
        features : ndarray of shape (n, m, K) or (1, m, K)
        squares, variances : ndarray of shape (n, K) or (1, K)
            :math:`z^\top z` and :math:`z^\top z + \lambda c` by definition. Values that are equal
            by definition then tie, even if the features were rounded differently.
        ridge : float
            :math:`\lambda`.
        joint : bool
            Whether it may be sampled.
        """
        _, dim, n_arms = features.shape
        if dim > n_arms:
            features = np.stack([triangle(z) for z in features])
            dim = n_arms
        self.mean, self.variance = np.zeros((n, n_arms)), np.empty((n, n_arms))
        self.variance[:] = variances / ridge
        self.computed = self.variance.copy()
        self.log_det, self.pulls = np.zeros(n), np.zeros(n, np.int64)
        self.counts = np.zeros((n, n_arms), np.int64)
        self.features = np.ascontiguousarray(features)
        self.constant = np.ascontiguousarray((variances - squares) / ridge)
        self.root = np.tile(np.eye(dim) / np.sqrt(ridge), (n, 1, 1))
        self.joint = joint

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        if ends is not None:
            raise ValueError("a posterior with fixed features is updated at every pull")
        absorb_root_fixed(_ARRAYS(self), arms, reward, observed)
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

        Raises
        ------
        ValueError
            If the variance is not that of a Gaussian process.
        """
        if not self.joint:
            raise ValueError("no Gaussian process has this variance: nothing can be sampled")
        sampled = np.empty_like(self.mean)
        sample_root_fixed(_ARRAYS(self), scale, keys, t, sampled)
        return sampled
