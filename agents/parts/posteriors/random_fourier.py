r"""Random Fourier features: a stationary kernel's posterior with random frequencies."""

import math
from dataclasses import dataclass

import numpy as np

from agents.parts.posteriors.posterior import Posterior, PosteriorState
from agents.parts.posteriors.waves import Waves
from banditgym.functions.covariances import RBF, Covariance, Linear, Matern
from banditgym.streams import AGENT, Stream
from banditgym.tasks import KernelTask
from banditgym.validation import whole

_FREQUENCIES = 7  # purpose of the stream that draws them


@dataclass(frozen=True, kw_only=True)
class RandomFourier(Posterior):
    r"""The posterior with D random features, from D/2 frequencies drawn at reset.

    A stationary kernel of variance s is s times the mean of
    :math:`\cos\langle\omega, x - y\rangle` over its spectral distribution, here estimated by

    .. math:: z(x) = \sqrt{\frac{s}{D/2}}
        \bigl(\cos\langle\omega_j, x\rangle, \sin\langle\omega_j, x\rangle\bigr)_{j \le D/2}.

    For ``RBF`` of length scale l the distribution is :math:`\mathcal{N}(0, I/l^2)`; for ``Matern``
    it is the multivariate t of :math:`2\nu` degrees of freedom and scale :math:`I/l^2`,
    :math:`\omega = \sqrt{2\nu/\chi^2_{2\nu}}\; g/l` with standard normals g. The mean of
    :math:`z(x)^\top z(y)` is the kernel's value, and its standard deviation is at most
    :math:`s\sqrt{1/D}`. Mean and variance are those of the regression on z, ``FeatureRegression``;
    each replicate draws its own frequencies.

    A reset costs O(K D d) per replicate, a pull O(K D + D²). Memory: n D K numbers and those of
    ``FeatureRegression``, where D is at most K.

    Parameters
    ----------
    size : int
        D, an even number >= 2. The default, 100, is scikit-learn's; kernel values then have errors
        of about 0.1 s.

    Raises
    ------
    ValueError
        If ``size`` is not an even integer >= 2.

    References
    ----------
    A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007. With cosines
    and sines of each frequency, not with random phases: D. J. Sutherland, J. Schneider. On the
    Error of Random Fourier Features. UAI 2015.
    """

    size: int = 100

    def __post_init__(self):
        if whole("size", self.size, least=2) % 2:
            raise ValueError(f"size must be even, got {self.size}")

    def refusal(self, task: KernelTask, covariance: Covariance) -> str | None:
        """Why it does not work for a task with a covariance; None if it does."""
        if isinstance(covariance, Linear):
            return (
                "random Fourier features need a kernel that depends on differences of points, RBF "
                "or Matern, and the covariance is Linear"
            )
        return super().refusal(task, covariance)

    def reset(
        self, task: KernelTask, *, n: int, seeds: list[int], covariance: RBF | Matern, ridge: float
    ) -> PosteriorState:
        """The posterior before any data, for n replicates of a task with fixed arms or a box."""
        frequencies, half = self._frequencies(task.dim, seeds, covariance), self.size // 2
        scales = np.full(self.size, math.sqrt(covariance.variance / half))
        waves = Waves(np.ascontiguousarray(frequencies), scales, np.ones(half, bool))
        return waves.posterior(task, n, covariance, ridge)

    def _frequencies(self, dim: int, seeds: list[int], covariance: RBF | Matern) -> np.ndarray:
        """Frequencies (n, D/2, d), one for every row of normals."""
        # A chi-square with 1, 3 or 5 degrees of freedom is the sum of as many squared normals.
        freedom = round(2 * covariance.nu) if isinstance(covariance, Matern) else 0
        normals = Stream(seeds, AGENT, _FREQUENCIES, 0).normal(0, (self.size // 2, dim + freedom))
        frequencies = normals[:, :, :dim] / covariance.length_scale
        if freedom:
            of_chi = normals[:, :, dim:]
            chi_square = (of_chi * of_chi).sum(axis=2, keepdims=True)
            # A normal can be 0, once in 2^53 draws.
            frequencies *= np.sqrt(freedom / np.maximum(chi_square, np.finfo(float).tiny))
        return frequencies
