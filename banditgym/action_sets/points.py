"""The base class of sets of points: reading of points, and the methods that agents use."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import length
from banditgym.rounds.read_only import read_only
from banditgym.validation import as_array, brief

_FLOAT64 = np.dtype(np.float64)  # compared by identity, ten times as fast as by value
TOLERANCE = 1e-9  # relative: points this far outside a set are accepted, and used as given


class PointSet:
    r"""Points of :math:`\mathbb{R}^d` that may be played; the base class of the sets.

    Every set but the box is symmetric: if x is in it, so is -x. A set defines its ``dim``,
    ``project``, ``argmax_in_place``, ``draw``, ``longest``, ``basis`` and ``basis_strength``, and
    in ``_first_off`` and ``_place`` the rule of ``read``. A point x is accepted, and used as given,
    within 1e-9 *relative* of the set: if x / s is in the set for some :math:`s \le 1 + 10^{-9}`,
    and on a sphere :math:`s \ge 1 - 10^{-9}`; the box has a rule of its own.
    """

    dim: int

    @property
    def longest(self) -> float:
        """Norm of the longest points."""
        raise NotImplementedError

    @property
    def basis(self) -> np.ndarray:
        r"""Rows :math:`b_1, .., b_d` (d, d): points to explore with, which span the space."""
        raise NotImplementedError

    @property
    def basis_strength(self) -> float:
        r"""The least eigenvalue of :math:`\sum_i b_i b_i^\top`."""
        raise NotImplementedError

    @property
    def extent(self) -> np.ndarray:
        """The largest value (d,) of each coordinate: the box around the set."""
        return self.argmax(np.eye(self.dim)).diagonal().copy()

    def argmax(self, direction: np.ndarray) -> np.ndarray:
        """The points of largest inner product with ``direction`` (n, d), finite; a fresh array."""
        best = for_kernels(direction).copy()
        self.argmax_in_place(best)
        return best

    def argmax_in_place(self, directions: np.ndarray) -> None:
        """Replace directions (n, d), finite, float64 and C-contiguous, by ``argmax`` of them."""
        raise NotImplementedError

    def project(self, points: np.ndarray) -> np.ndarray:
        """The nearest points of the set to ``points`` (n, d), finite; a fresh array."""
        nearest = for_kernels(points).copy()
        self._project_in_place(nearest)
        return nearest

    def _project_in_place(self, points: np.ndarray) -> None:
        """``project``, written over ``points``."""
        raise NotImplementedError

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Euclidean distances (n,) of ``points`` (n, d) to the set."""
        points = for_kernels(points)
        with np.errstate(over="ignore"):
            return lengths(for_kernels(points - self.project(points)))

    def draw(self, keys: np.ndarray, rounds: np.ndarray) -> np.ndarray:
        """Points (n, d) uniform in the set, drawn for each replicate in its round.

        Parameters
        ----------
        keys : ndarray of shape (n, 2), uint32
            Keys of the stream, ``banditgym.streams.Stream.keys``.
        rounds : ndarray of shape (n,), int64
        """
        points = np.empty((len(rounds), self.dim))
        self._draw_into(keys, rounds, points)
        return points

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        """``draw``, written to ``points``."""
        raise NotImplementedError

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Points (n, d) uniform in the set, from the same draws as n single samples."""
        keys = rng.integers(2**64, size=n, dtype=np.uint64).view(np.uint32).reshape(n, 2)
        return self.draw(keys, np.zeros(n, np.int64))

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Points of shape (n, d) as float64, C-contiguous and read-only.

        Raises
        ------
        ValueError
            If they are not n points, not finite, or farther off than 1e-9 relative; the message
            has the distance.
        """
        points = _shaped(actions, n, self.dim)
        bad = self._first_off(points)
        if bad >= 0:
            point = points[bad]
            _refuse_unless_finite(point, bad)
            distance = self.distance(points[bad : bad + 1])[0]
            place, side = self._place(point)
            raise ValueError(
                f"point {brief(point)} of replicate {bad} is not {place}: it lies "
                f"{distance:.6g} {side}"
            )
        return points

    def read_one(self, action: Any) -> np.ndarray:
        """``read([action], 1)``, the point (1, d) of a single environment's step."""
        if (
            type(action) is np.ndarray
            and action.dtype is _FLOAT64
            and action.shape == (self.dim,)
            and action.flags.c_contiguous
        ):
            point = read_only(action[None])  # it need not be copied
            if self._first_off(point) < 0:
                return point
        return self.read([action], 1)

    def _first_off(self, points: np.ndarray) -> int:
        """The first replicate whose point is not finite or not accepted, or -1."""
        raise NotImplementedError

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        """The places of the set and of this point, in words: ``("in the ball", "outside")``."""
        raise NotImplementedError


class RadialSet(PointSet):
    """A set of radius r whose points r e_i on the axes are among its longest."""

    radius: float

    @property
    def longest(self) -> float:
        """r."""
        return float(self.radius)

    @property
    def basis(self) -> np.ndarray:
        """Rows r e_i (d, d)."""
        return self.longest * np.eye(self.dim)

    @property
    def basis_strength(self) -> float:
        """r²."""
        return self.longest * self.longest


def read_points(actions: ArrayLike, n: int, dim: int) -> np.ndarray:
    """Finite points (n, d) as float64, C-contiguous and read-only, or a ValueError."""
    points = _shaped(actions, n, dim)
    finite = np.isfinite(points)
    if not finite.all():
        bad = int(np.argmin(finite.all(axis=1)))
        _refuse_unless_finite(points[bad], bad)
    return points


@dataclass(frozen=True)
class AnyPoints:
    r"""All finite points of :math:`\mathbb{R}^d`.

    Parameters
    ----------
    dim : int
        Dimension d.
    """

    dim: int

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Points (n, d), or a ValueError; see ``read_points``."""
        return read_points(actions, n, self.dim)


@dataclass(frozen=True)
class Nearest:
    """Any finite points; the ones that are played are the nearest ones of a set.

    Parameters
    ----------
    action_set : PointSet
    """

    action_set: PointSet

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """The points (n, d) that ``actions`` play, or a ValueError if they are not finite."""
        nearest = self.action_set.project(read_points(actions, n, self.action_set.dim))
        return read_only(nearest)  # kernels are compiled for one mutability

    def read_one(self, action: Any) -> np.ndarray:
        """``read([action], 1)``."""
        return self.read([action], 1)


def for_kernels(points: np.ndarray) -> np.ndarray:
    """Points in the layout that kernels are compiled for; a view if they have it already."""
    if points.dtype is not _FLOAT64 or not points.flags.c_contiguous:
        with np.errstate(over="ignore"):  # a number of more than 64 bits may become infinite
            points = np.ascontiguousarray(points, dtype=np.float64)
    return read_only(points.view())


def _shaped(actions: ArrayLike, n: int, dim: int) -> np.ndarray:
    points = as_array(actions, object)
    if points.dtype.kind not in "iuf" or points.shape != (n, dim):
        raise ValueError(
            f"expected {n} points of {dim} numbers, got {brief(actions)} of shape {points.shape}, "
            f"{points.dtype}"
        )
    return for_kernels(points)


def _refuse_unless_finite(point: np.ndarray, replicate: int) -> None:
    if not np.isfinite(point).all():
        raise ValueError(f"point {brief(point)} of replicate {replicate} is not finite")


@compiled
def lengths(points):
    """Norms (n,) of points (n, d), finite; infinite above the largest number."""
    out = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        out[i] = length(points, i)
    return out
