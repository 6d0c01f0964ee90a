"""Sets of actions: what may be played, and how an illegal action is refused."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.settings import brief, real, whole

_INT64 = np.dtype(np.int64)  # compared by identity, ten times as fast as by value
TOLERANCE = 1e-9  # relative: points this far outside a set are accepted, and used as given


@dataclass(frozen=True)
class FiniteArms:
    """The arms 0, .., n_arms - 1.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    """

    n_arms: int

    def read(self, actions: Any, n: int) -> np.ndarray:
        """Arms of shape (n,) as int64; their range is left to the kernel that plays them.

        Raises
        ------
        ValueError
            If they are not n integers.
        """
        try:
            arms = np.asarray(actions)
        except ValueError:  # sequences of different lengths
            arms = np.empty(0)
        if arms.dtype is _INT64 and arms.shape == (n,) and arms.flags.c_contiguous:
            return arms
        if arms.dtype.kind not in "iu" or arms.shape != (n,):
            raise ValueError(
                f"expected {n} arms, each an integer in 0..{self.n_arms - 1}, got "
                f"{brief(actions)} of shape {arms.shape}, {arms.dtype}"
            )
        return arms.astype(np.int64)

    def refusal(self, arms: np.ndarray, replicate: int) -> ValueError:
        """The error for the arm of a replicate that is out of range.

        An index of -1 would quietly play the last arm, so numpy is not left to judge.
        """
        return ValueError(
            f"arm {arms[replicate]} of replicate {replicate} is not in 0..{self.n_arms - 1}"
        )


@dataclass(frozen=True)
class Ball:
    r"""The points x of :math:`\mathbb{R}^d` with :math:`\lVert x\rVert \le r`.

    Parameters
    ----------
    dim : int
        Dimension d.
    radius : float
        r, > 0.
    """

    dim: int
    radius: float = 1.0

    def __post_init__(self):
        whole("dim", self.dim)
        if not 0 < real("radius", self.radius) < math.inf:
            raise ValueError(f"radius must be finite and > 0, got {self.radius}")

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Points (n, d), uniform in the ball."""
        direction = rng.standard_normal((n, self.dim + 2))
        # A point uniform on the sphere of R^{d+2}, without two coordinates, is uniform in the ball.
        length = np.sqrt((direction * direction).sum(axis=1, keepdims=True))
        return np.ascontiguousarray(self.radius * (direction / length)[:, : self.dim])

    def project(self, points: np.ndarray) -> np.ndarray:
        """The nearest points of the ball to ``points`` (n, d)."""
        length = np.sqrt((points * points).sum(axis=1, keepdims=True))
        with np.errstate(divide="ignore"):
            return points * np.minimum(1.0, self.radius / length)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """How far outside ``points`` (n, d) lie, (n,); 0 for points of the ball."""
        length = np.sqrt((points * points).sum(axis=1))
        return np.maximum(0.0, length - self.radius)

    def argmax(self, direction: np.ndarray) -> np.ndarray:
        """The points of largest inner product with ``direction`` (n, d); 0 for a direction 0."""
        length = np.sqrt((direction * direction).sum(axis=1, keepdims=True))
        with np.errstate(invalid="ignore"):
            return np.where(length > 0, self.radius * direction / length, 0.0)

    def read(self, actions: Any, n: int) -> np.ndarray:
        """Points of shape (n, d) as float64, C-contiguous.

        Raises
        ------
        ValueError
            If they are not n points, not finite, or further outside than 1e-9 of the radius; the
            message has the distance.
        """
        points = read_points(actions, n, self.dim)
        distance = self.distance(points)
        far = distance > TOLERANCE * self.radius
        if far.any():
            i = int(np.argmax(far))
            raise ValueError(
                f"point {brief(points[i])} of replicate {i} is not in the ball of radius "
                f"{self.radius}: it lies {distance[i]:.6g} outside"
            )
        return points


def read_points(actions: Any, n: int, dim: int) -> np.ndarray:
    """Finite points (n, d) as float64, C-contiguous, or a ValueError."""
    try:
        points = np.asarray(actions)
    except ValueError:  # sequences of different lengths
        points = np.empty(0, object)
    if points.dtype.kind not in "iuf" or points.shape != (n, dim):
        raise ValueError(
            f"expected {n} points of {dim} numbers, got {brief(actions)} of shape {points.shape}, "
            f"{points.dtype}"
        )
    points = np.ascontiguousarray(points, dtype=np.float64)
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        i = int(np.argmin(finite))
        raise ValueError(f"point {brief(points[i])} of replicate {i} is not finite")
    return points
