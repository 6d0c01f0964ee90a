"""Fourier features: cosines and sines of given frequencies, and the posterior with them."""

from dataclasses import dataclass

import numpy as np

from agents.parts.posteriors.feature_points import FeaturePoints
from agents.parts.posteriors.features import FeatureRegression
from banditgym.elementary import each_cos, each_sin
from banditgym.functions.covariances import Covariance
from banditgym.linalg.product import product
from banditgym.tasks import KernelTask


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

    def posterior(
        self, task: KernelTask, n: int, covariance: Covariance, ridge: float
    ) -> FeatureRegression | FeaturePoints:
        """The posterior before any data, for n replicates of a task with fixed arms or a box."""
        if task.on_box:
            return FeaturePoints(self, len(self.scales), n=n, covariance=covariance, ridge=ridge)
        arms = np.asarray(task.arms)
        points = np.array(arms.T, order="C")
        features = np.stack([self.of(i, points) for i in range(len(self.frequencies))])
        squares = covariance.diagonal(arms)[None]
        return FeatureRegression(features, squares, squares, n=n, ridge=ridge)
