r"""The posterior of a function that is linear in features, at any points."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import reject
from agents.numerics.kernel_factor import solve_lower
from agents.numerics.kernel_posterior import fill_normals
from banditgym.compiled import compiled
from banditgym.covariances import Covariance
from banditgym.elementary import each_cos, each_sin
from banditgym.linalg.product import product


@dataclass(frozen=True, eq=False)
class Waves:
    """Cosines and sines of given frequencies.

    Attributes
    ----------
    frequencies : ndarray of shape (n, J, d) or (1, J, d)
        In radians per unit, one copy where all replicates share them.
    scales : ndarray of shape (D,)
        Factors of the J cosines and then of the sines.
    sines : ndarray of shape (J,), bool
        Which frequencies have a sine.
    """

    frequencies: np.ndarray
    scales: np.ndarray
    sines: np.ndarray

    def of(self, i: int, points: np.ndarray) -> np.ndarray:
        """The features (D, m) of replicate i at points (d, m)."""
        phase = product(self.frequencies[min(i, len(self.frequencies) - 1)], points)
        values = np.concatenate([each_cos(phase), each_sin(phase[self.sines])])
        values *= self.scales[:, None]
        return values


@dataclass(frozen=True, eq=False)
class Sections:
    """Kernel sections at a dictionary, whitened: ``z(x) = W k_S(x)``.

    Attributes
    ----------
    dictionary : ndarray of shape (n, m, d)
    whitening : ndarray of shape (n, m, m)
    """

    covariance: Covariance
    dictionary: np.ndarray
    whitening: np.ndarray

    def of(self, i: int, points: np.ndarray) -> np.ndarray:
        """The features (m, p) of replicate i at points (d, p)."""
        sections = self.covariance(self.dictionary[i], points.T)
        return product(self.whitening[i], np.ascontiguousarray(sections))


@dataclass(eq=False)
class FeaturePoints:
    r"""Bayesian linear regression on features z(x) of points of a box.

    With :math:`A = I + Z_t^\top Z_t / \lambda = L L^\top`,

    .. math:: \mu(x) = \tfrac1\lambda z(x)^\top A^{-1} Z_t^\top y, \qquad
        \sigma^2(x) = \tfrac1\lambda \lVert L^{-1} z(x)\rVert^2 + c(x),

    where c, if ``corrected``, is the part of the prior variance that the features do not explain,
    over :math:`\lambda`, else 0. With D features a pull costs O(D²), and so does a prediction at
    one point. Memory: n (D² + 2 D) numbers and those of the features.

    Attributes
    ----------
    factor : ndarray of shape (n, D, D)
        L.
    moment, whitened : ndarray of shape (n, D)
        :math:`Z_t^\top y / \sqrt\lambda` and :math:`L^{-1}` times it.
    effective, pulls : ndarray of shape (n,)
        The sum over all pulls of the present variances, and the pulls so far.
    """

    features: Waves | Sections
    covariance: Covariance
    corrected: bool
    ridge: float
    factor: np.ndarray
    moment: np.ndarray
    whitened: np.ndarray
    effective: np.ndarray
    pulls: np.ndarray

    @classmethod
    def prior(
        cls, features: Waves | Sections, size: int, *, n: int, covariance: Covariance,
        ridge: float, corrected: bool = False,
    ) -> "FeaturePoints":  # fmt: skip
        """The posterior before any data, for n replicates and a number of features."""
        return cls(
            features=features,
            covariance=covariance,
            corrected=corrected,
            ridge=float(ridge),
            factor=np.tile(np.eye(size), (n, 1, 1)),
            moment=np.zeros((n, size)),
            whitened=np.zeros((n, size)),
            effective=np.zeros(n),
            pulls=np.zeros(n, np.int64),
        )

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, m) of points (n, d, m)."""
        mean, variance = np.empty((2, len(contexts), contexts.shape[2]))
        for i, points in enumerate(contexts):
            z, left = self._features(i, points)
            _predict(self.factor[i], self.whitened[i], z, left, mean[i], variance[i])
        return mean, variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray,
        settle: None = None,
    ) -> None:  # fmt: skip
        """Learn the rewards (n,) of the points (n, d, 1), where observed (n,)."""
        finite = np.isfinite(contexts).all(axis=(1, 2)) | ~observed
        reject(-1 if finite.all() else int(np.argmin(finite)), "a point")
        for i in np.flatnonzero(observed).tolist():
            z, left = self._features(i, contexts[i])
            grown = _absorb(self.factor[i], self.moment[i], self.whitened[i], z[:, 0], reward[i])
            self.effective[i] += grown + left[0]
            self.pulls[i] += 1

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) of the present variances of all pulls; not to be written."""
        return self.effective

    def draw(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> Any:
        r"""A function drawn from the posterior, with its deviation multiplied by ``scale`` (n,).

        It takes points (n, d, m) and returns :math:`z(x)^\top\tilde\theta`, (n, m), with
        :math:`\tilde\theta \sim \mathcal{N}(V^{-1} Z_t^\top y, \text{scale}^2 V^{-1})` and
        :math:`V = \lambda A`; its normals are those of draw t (n,) under the keys (n, 2).
        """
        theta = np.empty(self.moment.shape)
        fill_normals(keys, t, theta)
        _draw(self.factor, self.whitened, scale, theta)

        def values(points: np.ndarray) -> np.ndarray:
            out = np.empty((len(points), points.shape[2]))
            for i, own in enumerate(points):
                out[i] = product(theta[i : i + 1], self._features(i, own)[0])[0]
            return out

        return values

    def _features(self, i: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features (D, m) over the root of the ridge, and the unexplained variance (m,)."""
        z = self.features.of(i, points)
        z *= 1.0 / math.sqrt(self.ridge)
        if not self.corrected:
            return z, np.zeros(points.shape[1])
        rest = self.covariance.diagonal(points.T) / self.ridge - (z * z).sum(axis=0)
        return z, np.maximum(rest, 0.0)


@compiled
def _predict(factor, whitened, z, left, mean, variance):
    """Write mean and variance (m,) at points of features z (D, m), which become L^-1 z."""
    solve_lower(factor, z.shape[0], z)
    for c in range(z.shape[1]):
        mean[c], variance[c] = 0.0, left[c]
    for r in range(z.shape[0]):
        for c in range(z.shape[1]):
            mean[c] += whitened[r] * z[r, c]
            variance[c] += z[r, c] * z[r, c]


@compiled
def _absorb(factor, moment, whitened, z, y):
    """Learn y at a point of features z (D,): A gains z z^T.

    Returns by how much the trace of I - A^-1, the sum of the variances of all pulls, has grown.
    """
    size = len(z)
    solved, rest = np.empty((size, 1)), np.empty(size)
    for k in range(size):
        solved[k, 0] = z[k]
    solve_lower(factor, size, solved)
    variance = 0.0
    for k in range(size):
        variance += solved[k, 0] * solved[k, 0]
        rest[k] = solved[k, 0]
    square = 0.0  # of A^-1 z
    for back in range(size):
        r = size - 1 - back
        weight = rest[r] / factor[r, r]
        square += weight * weight
        for k in range(r):
            rest[k] -= weight * factor[r, k]
    for k in range(size):
        moment[k] += z[k] * y
        rest[k] = z[k]
    for k in range(size):  # the factor of L L^T + z z^T, column by column
        diagonal = math.sqrt(factor[k, k] * factor[k, k] + rest[k] * rest[k])
        cosine, sine = diagonal / factor[k, k], rest[k] / factor[k, k]
        factor[k, k] = diagonal
        for j in range(k + 1, size):
            factor[j, k] = (factor[j, k] + sine * rest[j]) / cosine
            rest[j] = cosine * rest[j] - sine * factor[j, k]
    for k in range(size):
        solved[k, 0] = moment[k]
    solve_lower(factor, size, solved)
    for k in range(size):
        whitened[k] = solved[k, 0]
    return square / (1.0 + variance)


@compiled
def _draw(factor, whitened, scale, theta):
    """Turn normals (n, D) into L^-T (whitened + scale normals)."""
    n, size = theta.shape
    for i in range(n):
        for k in range(size):
            theta[i, k] = whitened[i, k] + scale[i] * theta[i, k]
        for back in range(size):
            r = size - 1 - back
            theta[i, r] /= factor[i, r, r]
            for k in range(r):
                theta[i, k] -= theta[i, r] * factor[i, r, k]
