r"""The posterior of a function that is linear in features, at any points."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.numerics.kernel.kernel_factor import absorb_features, draw_features, predict_points
from agents.parts.posteriors.changing_points import ChangingPoints
from agents.parts.posteriors.posterior import PointFunction
from banditgym.functions.covariances import Covariance
from banditgym.linalg.product import product
from banditgym.streams import fill_normals


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


class FeaturePoints(ChangingPoints):
    r"""Bayesian linear regression on features z(x) of points of a box.

    With :math:`A = I + Z_t^\top Z_t / \lambda = L L^\top`,

    .. math:: \mu(x) = \tfrac1\lambda z(x)^\top A^{-1} Z_t^\top y, \qquad
        \sigma^2(x) = \tfrac1\lambda \lVert L^{-1} z(x)\rVert^2 + c(x),

    where c, if ``corrected``, is the part of the prior variance that the features do not explain,
    over :math:`\lambda`, else 0. With D features a pull costs O(D²), and so does a prediction at
    one point. Memory: n (D² + 2 D) numbers and those of the features.

    Attributes
    ----------
    features : agents.parts.posteriors.waves.Waves or Sections
    factor : ndarray of shape (n, D, D)
        L.
    moment, whitened : ndarray of shape (n, D)
        :math:`Z_t^\top y / \sqrt\lambda` and :math:`L^{-1}` times it.
    """

    of: ClassVar[str] = "a point"

    def __init__(
        self,
        features: Any,
        size: int,
        *,
        n: int,
        covariance: Covariance,
        ridge: float,
        corrected: bool = False,
    ):
        """The posterior before any data, for n replicates and a number of features."""
        super().__init__(n, None)
        self.features, self.covariance = features, covariance
        self.corrected, self.ridge = corrected, float(ridge)
        self.factor = np.tile(np.eye(size), (n, 1, 1))
        self.moment, self.whitened = np.zeros((2, n, size))
        self.effective = np.zeros(n)

    def _predict(self, i: int, points: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> None:
        z, left = self._features(i, points.T)
        predict_points(self.factor[i], self.whitened[i], z, left, 1.0, mean, variance)

    def _absorb(self, i: int, point: np.ndarray, y: float) -> None:
        z, left = self._features(i, point.T)
        grown = absorb_features(self.factor[i], self.moment[i], self.whitened[i], z[:, 0], y)
        self.effective[i] += grown + left[0]

    def draw(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> PointFunction:
        r"""A function drawn from the posterior, with its deviation multiplied by ``scale`` (n,).

        It takes points (n, d, m) and returns :math:`z(x)^\top\tilde\theta`, (n, m), with
        :math:`\tilde\theta \sim \mathcal{N}(V^{-1} Z_t^\top y, \text{scale}^2 V^{-1})` and
        :math:`V = \lambda A`; its normals are those of draw t (n,) under the keys (n, 2).
        """
        theta = np.empty(self.moment.shape)
        fill_normals(keys, t, theta)
        draw_features(self.factor, self.whitened, scale, theta)

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
