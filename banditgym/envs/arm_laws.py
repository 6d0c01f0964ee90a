"""Laws of arms: of their means, and of bounded rewards, all from the same draw of the round."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banditgym.elementary import each_exp, each_expm1, each_log1p
from banditgym.envs.noise import Noise
from banditgym.validation import nonnegative, positive, real

LARGEST = 1e9  # of Gaussian rewards before they are clipped: their means keep 7 digits


@dataclass(frozen=True)
class NormalMeans:
    """Means that each instance draws from a normal distribution.

    Parameters
    ----------
    mean, std : float
    """

    mean: float = 0.0
    std: float = 1.0

    def __post_init__(self):
        if not math.isfinite(real("the mean of means", self.mean)):
            raise ValueError(f"the mean of means must be finite, got {self.mean}")
        nonnegative("the std of means", self.std)


@dataclass(frozen=True)
class ClippedExponential:
    """Exponential rewards of mean s, clipped to [0, 1]: ``min(-s log(1 - u), 1)``, u uniform.

    Their mean is ``s (1 - exp(-1/s))``.
    """

    bounds: ClassVar = (0.0, 1.0)
    noise: ClassVar = Noise("bernoulli")  # uniform draws

    def means(self, parameters: np.ndarray) -> np.ndarray:
        """Mean rewards (n, K) of arms whose means before clipping are ``parameters`` (n, K)."""
        scale = np.maximum(parameters, 1e-300)
        return -scale * each_expm1(-1.0 / scale)

    def rewards(self, parameters: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """The rewards (m, n, K) of draws (m, n) of ``noise``."""
        return np.minimum(parameters * -each_log1p(-draws)[..., None], 1.0)


@dataclass(frozen=True)
class ClippedGaussian:
    r"""Gaussian rewards, clipped to [0, 1].

    With :math:`\psi(z) = \varphi(z) + z \Phi(z)` their mean is
    :math:`\sigma (\psi(\mu / \sigma) - \psi((\mu - 1) / \sigma))`.

    Parameters
    ----------
    std : float
        Standard deviation before clipping, > 0, in units of reward.
    """

    bounds: ClassVar = (0.0, 1.0)

    std: float

    def __post_init__(self):
        if positive("noise_std", self.std) > LARGEST:
            raise ValueError(f"noise_std of clipped rewards must be <= {LARGEST:g}, got {self.std}")

    @property
    def noise(self) -> Noise:
        """The draws of rounds."""
        return Noise("gaussian", self.std)

    def means(self, parameters: np.ndarray) -> np.ndarray:
        """Mean rewards (n, K) of arms whose means before clipping are ``parameters`` (n, K)."""
        above = _mean_above_zero(parameters / self.std)
        return self.std * (above - _mean_above_zero((parameters - 1.0) / self.std))

    def rewards(self, parameters: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """The rewards (m, n, K) of draws (m, n) of ``noise``."""
        return np.clip(parameters + draws[..., None], 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Samples:
    """Rewards drawn from given ones, with replacement; an arm's parameter is its row.

    Parameters
    ----------
    values : ndarray of shape (K, m)
    """

    noise: ClassVar = Noise("bernoulli")  # uniform draws

    values: np.ndarray

    def __post_init__(self):
        if self.values.ndim != 2 or self.values.size == 0:
            raise ValueError(f"samples must be of shape (K, m), got {self.values.shape}")
        if (huge := np.abs(self.values) > 1e300).any():
            raise ValueError(f"samples must lie in [-1e300, 1e300], got {self.values[huge][0]}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value."""
        return float(self.values.min()), float(self.values.max())

    def means(self, parameters: np.ndarray) -> np.ndarray:
        """Mean rewards (n, K) of arms with these rows (n, K)."""
        each = np.array([math.fsum(row) / len(row) for row in self.values.tolist()])
        return each[parameters]

    def rewards(self, parameters: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """The rewards (m, n, K) of draws (m, n) of ``noise``."""
        columns = (draws * self.values.shape[1]).astype(np.int64)
        return self.values[parameters, columns[..., None]]


def _mean_above_zero(z: np.ndarray) -> np.ndarray:
    """``E max(z + Z, 0)`` of a standard normal Z, for each z.

    The distribution function is the series of G. Marsaglia. Evaluating the Normal Distribution.
    Journal of Statistical Software 11, 2004, whose terms are positive; beyond 9 it is 0 or 1.
    """
    x = np.clip(z, -9.0, 9.0)
    density = each_exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    term, series = np.abs(x), np.abs(x)
    for k in range(3, 401, 2):
        term = term * x * x / k
        series = series + term
    below = 0.5 + np.copysign(series * density, x)
    return np.where(z > 9.0, z, np.where(z < -9.0, 0.0, density + x * below))
