"""Hidden functions on the unit cube with known maxima, one per replicate."""

import math
from typing import Protocol

import numpy as np

from banditgym.action_sets.point_sets import sobol
from banditgym.compiled import compiled
from banditgym.functions.covariances import RBF, Covariance, Linear, Matern
from banditgym.functions.gaussian_process import frequency_normals, spectral_frequencies
from banditgym.functions.smooth_sums import COSINES, fill_values, kind_of, maximise
from banditgym.functions.standard_functions import OBJECTIVES, Objective
from banditgym.streams import Stream

N_FREQUENCIES = 512  # frequencies of a draw of a process
N_CENTRES = 50  # centres of a function of bounded norm
ALLOWANCE = 1e-9  # largest error of a stated maximum, as a share of the function's scale
_MOST_DIM, _MOST_SCALES = 3, 2000.0  # coordinates, and length-scales to the power d in the cube
_SAMPLE = 1 << 14  # points over which test functions are standardised


class BoxFunction(Protocol):
    r"""A function :math:`f_i` on :math:`[0, 1]^d` for each replicate i.

    ``best`` (n,) are the maxima: no point of the cube has a larger value, and the value of the best
    point is smaller by at most 1e-9 of the function's scale.
    """

    best: np.ndarray

    def draw(self, hidden: Stream) -> None:
        """Draw the functions of an episode."""

    def values(self, points: np.ndarray) -> np.ndarray:
        """The values (n,) at points (n, d) of the cube."""
        ...


def box_function(function: str, covariance: Covariance, dim: int, param_norm: float) -> BoxFunction:
    """The functions on the cube that a setting ``function`` of ``KernelBandit-v0`` names.

    Raises
    ------
    ValueError
        For functions whose maximum over the cube cannot be computed with certainty in a second.
    """
    if function in OBJECTIVES:
        return StandardisedObjective(OBJECTIVES[function], dim)
    if isinstance(covariance, Linear):
        return LinearFunctions(covariance, dim, param_norm if function == "rkhs" else None)
    if isinstance(covariance, Matern) and covariance.nu == 0.5:
        raise ValueError(
            f"function {function!r} needs an RBF covariance, a linear one, or a Matern one of nu "
            "1.5 or 2.5 where arms are a box: with nu 0.5 it has no derivative, and its maximum "
            "cannot be computed"
        )
    scales = math.inf if dim > _MOST_DIM else math.prod([1.0 / covariance.length_scale] * dim)
    if scales > _MOST_SCALES:
        raise ValueError(
            f"function {function!r} on a box needs dim <= {_MOST_DIM} and length_scale >= "
            f"{_MOST_SCALES:g}^(-1/dim), for its maximum to be certain; got dim {dim} and "
            f"length_scale {covariance.length_scale:g}; take a test function, or arms"
        )
    return SmoothFunctions(covariance, dim, param_norm if function == "rkhs" else None)


class StandardisedObjective:
    """A test function, the same for all replicates, of mean 0 and deviation 1 over the cube.

    Mean and deviation are those over the first 2^14 points of Sobol's sequence.
    """

    def __init__(self, objective: Objective, dim: int):
        self._objective = objective
        sample = objective(sobol(_SAMPLE, dim))
        self._centre, self._scale = sample.mean(), sample.std()
        self._top = (objective.maximum(dim) - self._centre) / self._scale + ALLOWANCE

    def draw(self, hidden: Stream) -> None:
        """Nothing is drawn."""
        self.best = np.full(len(hidden.keys), self._top)

    def values(self, points: np.ndarray) -> np.ndarray:
        """The values (n,) at points (n, d) of the cube."""
        return (self._objective(points) - self._centre) / self._scale


class LinearFunctions:
    r""":math:`f(x) = \langle w, x\rangle`: drawn with a linear covariance, or of bounded norm."""

    def __init__(self, covariance: Linear, dim: int, norm: float | None):
        self._deviation = math.sqrt(covariance.variance)
        self._dim, self._norm = dim, norm

    def draw(self, hidden: Stream) -> None:
        """Draw w, and find the best corner of the cube."""
        if self._norm is None:
            self._w = self._deviation * hidden.normal(0, (self._dim,))
        else:
            # Sections at centres c_j depend only on the sum of alpha_j c_j.
            weights, centres = _sections(hidden, self._dim)
            self._w = (weights[:, :, None] * centres).sum(axis=1)
            length = np.sqrt((self._w * self._w).sum(axis=1, keepdims=True))
            length[length == 0.0] = 1.0
            self._w *= self._norm * self._deviation / length
        scale = np.sqrt((self._w * self._w).sum(axis=1))
        self.best = np.where(self._w > 0.0, self._w, 0.0).sum(axis=1) + ALLOWANCE * scale

    def values(self, points: np.ndarray) -> np.ndarray:
        """The values (n,) at points (n, d) of the cube."""
        return (self._w * points).sum(axis=1)


class SmoothFunctions:
    r"""Draws of a Gaussian process made continuous, or functions of bounded norm.

    - Draws of a process: :math:`f(x) = \sqrt{s/m} \sum_{j \le m} w_j \cos\langle\omega_j, x\rangle
      + w'_j \sin\langle\omega_j, x\rangle`, m = 512, with independent normals, and frequencies
      drawn from the covariance's spectral distribution for each replicate and episode. Every f(x)
      is normal of variance s, and the covariances are exactly k. The joint distribution of several
      values is normal only given the frequencies; its covariances then differ from k with a
      standard deviation of at most :math:`s / \sqrt{2 m}`, 0.031 s.
    - Functions of bounded norm: 50 sections :math:`\alpha_j k(c_j, \cdot)`, with centres uniform on
      the cube; the norm of the sum is ``norm``.

    ``banditgym.functions.smooth_sums`` certifies the maxima. On one core the maximum of a draw
    takes 2 ms in one dimension, 10 in two and 60 in three with RBF at length-scale 0.2, and up to a
    second at the smallest length-scale that is accepted; for functions of bounded norm it takes a
    tenth of that. A value takes 2 microseconds for a draw, 0.5 for a function of bounded norm.
    """

    def __init__(self, covariance: RBF | Matern, dim: int, norm: float | None):
        self._covariance, self._dim, self._norm = covariance, dim, norm
        self._kind = COSINES if norm is None else kind_of(covariance)
        self._length = float(covariance.length_scale)

    def draw(self, hidden: Stream) -> None:
        """Draw the functions and find their maxima."""
        covariance, dim = self._covariance, self._dim
        n = len(hidden.keys)
        scale = math.sqrt(covariance.variance)
        if self._norm is None:
            weights = hidden.normal(0, (N_FREQUENCIES, 2))
            self._weights = weights * (scale / math.sqrt(N_FREQUENCIES))
            normals = hidden.normal(1, (N_FREQUENCIES, frequency_normals(covariance, dim)))
            frequencies = np.array([spectral_frequencies(covariance, own) for own in normals])
            self._terms = frequencies / (2.0 * math.pi)  # in turns
        else:
            scale *= self._norm
            weights, self._terms = _sections(hidden, dim)
            self._weights = np.zeros((n, N_CENTRES, 2))
            for i, (own, centres) in enumerate(zip(weights, self._terms, strict=True)):
                gram = covariance(centres, centres)
                square = float((own * (gram * own[:, None]).sum(axis=0)).sum())
                share = self._norm / math.sqrt(square) if square > 0.0 else 0.0
                self._weights[i, :, 0] = own * (share * covariance.variance)
        self.best = np.zeros(n)
        if scale == 0.0:
            return
        point = np.empty(dim)
        for i in range(n):
            found, looked = maximise(
                self._kind, self._length, self._terms[i], self._weights[i], ALLOWANCE * scale, point
            )
            if looked < 0:
                raise ValueError(
                    f"the function of replicate {i} varies too quickly to find its maximum: "
                    "take a larger length_scale or a smaller dim"
                )
            self.best[i] = found + ALLOWANCE * scale

    def values(self, points: np.ndarray) -> np.ndarray:
        """The values (n,) at points (n, d) of the cube."""
        out = np.empty(len(points))
        _fill_own(self._kind, self._length, self._terms, self._weights, points, out)
        return out


def _sections(hidden: Stream, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal weights (n, 50) of sections, and their centres (n, 50, d), uniform on the cube."""
    return hidden.normal(0, (N_CENTRES,)), hidden.uniform(1, (N_CENTRES, dim))


@compiled
def _fill_own(kind, length, terms, weights, points, out):
    """Write the value of each replicate's sum at its point (n, d)."""
    x, value = np.empty((points.shape[1], 1)), np.empty(1)
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            x[j, 0] = points[i, j]
        fill_values(kind, length, terms[i], weights[i], x, value)
        out[i] = value[0]
