"""Ellipsoids around 0."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from banditgym.action_sets.ball import draw_in_ball
from banditgym.action_sets.points import TOLERANCE, PointSet
from banditgym.linalg.ellipsoid_geometry import (
    best_points,
    first_outside,
    project_points,
    stretch_ball,
)
from banditgym.linalg.product import product
from banditgym.linalg.symmetric import eigensystem
from banditgym.rounds.read_only import read_only
from banditgym.validation import reals

# For longer ellipsoids, membership could not be decided to 1e-9 in double precision.
_MOST, _MOST_RATIO = 1e10, 1e5  # largest ratio of eigenvalues, and of semi-axes


@dataclass(frozen=True, eq=False, repr=False)
class Ellipsoid(PointSet):
    r"""The points x of :math:`\mathbb{R}^d` with :math:`x^\top Q x \le 1`.

    With orthonormal directions :math:`u_k` and semi-axes :math:`a_k`,
    :math:`Q = \sum_k a_k^{-2} u_k u_k^\top`, so that in the coordinates :math:`z_k = u_k^\top x`

    - the best point in the direction :math:`\theta` is
      :math:`Q^{-1} \theta / \sqrt{\theta^\top Q^{-1} \theta}`, and 0 for :math:`\theta = 0`;
    - the nearest point to one outside has coordinates :math:`a_k^2 z_k / (a_k^2 + \mu)`, where
      :math:`\mu > 0` solves :math:`\sum_k (a_k z_k / (a_k^2 + \mu))^2 = 1`.

    Reading, projecting and finding best points costs O(d²) per point, O(d) if Q is diagonal.

    Parameters
    ----------
    matrix : array (d, d)
        Q, symmetric and positive definite, its condition number at most 1e10; no entry above
        1e300 in size, no eigenvalue below 1e-300.

    Attributes
    ----------
    axes : ndarray of shape (d,)
        The lengths :math:`a_k`, in ascending order of :math:`a_k^{-2}` unless Q is diagonal.
    directions : ndarray of shape (d, d)
        Rows :math:`u_k`; the identity if Q is diagonal.
    whitening : ndarray of shape (d, d)
        W with :math:`\lVert W^\top x \rVert^2 = x^\top Q x`: columns :math:`u_k / a_k`. If Q is
        diagonal, its diagonal (1, d).
    """

    matrix: np.ndarray
    axes: np.ndarray = field(init=False)
    directions: np.ndarray = field(init=False)
    whitening: np.ndarray = field(init=False)

    def __post_init__(self):
        matrix = reals("matrix", self.matrix)
        if matrix.ndim != 2 or not 0 < matrix.shape[0] == matrix.shape[1]:
            raise ValueError(f"matrix must be of shape (d, d), got {matrix.shape}")
        largest = float(np.abs(matrix).max())
        if not largest <= 1e300:
            raise ValueError(f"matrix must have no entry above 1e300 in size, got {largest}")
        if not np.abs(matrix - matrix.T).max() <= 1e-12 * largest:
            raise ValueError("matrix must be symmetric, and is not")
        matrix = 0.5 * matrix + 0.5 * matrix.T
        if np.array_equal(matrix, np.diag(matrix.diagonal())):
            eigenvalues, directions = matrix.diagonal(), np.eye(len(matrix))
        else:
            eigenvalues, vectors = eigensystem(matrix / largest)
            eigenvalues, directions = largest * eigenvalues, vectors.T
        least, most = float(eigenvalues.min()), float(eigenvalues.max())
        if not 0 < most <= _MOST * least:
            raise ValueError(
                f"matrix must be positive definite, of a condition number of at most {_MOST:g}; "
                f"its eigenvalues are {least:g} .. {most:g}"
            )
        if not least >= 1e-300:
            raise ValueError(f"matrix must have eigenvalues of 1e-300 or more, got {least}")
        self._keep(matrix, 1.0 / np.sqrt(eigenvalues), directions)

    @classmethod
    def of_axes(cls, axes: ArrayLike, directions: ArrayLike | None = None) -> Self:
        """The ellipsoid of semi-axes ``axes`` (d,) along the rows of ``directions`` (d, d).

        Parameters
        ----------
        axes : array (d,)
            Lengths, finite and > 0, with a ratio of at most 1e5.
        directions : array (d, d), optional
            Orthonormal rows; the coordinate axes if not given.
        """
        axes = reals("axes", axes)
        if axes.ndim != 1 or axes.size == 0:
            raise ValueError(f"axes must be of shape (d,), got {axes.shape}")
        most = min(1e150, _MOST_RATIO * (1 + 1e-9) * float(axes.min()))
        if not (axes.min() >= 1e-150 and axes.max() <= most):
            raise ValueError(
                f"axes must lie within 1e-150 .. 1e150 and have a ratio of at most "
                f"{_MOST_RATIO:g}, got {axes.min()} .. {axes.max()}"
            )
        weights = 1.0 / (axes * axes)
        ellipsoid = cls.__new__(cls)
        if directions is None:
            ellipsoid._keep(np.diag(weights), axes, np.eye(axes.size))
            return ellipsoid
        directions = reals("directions", directions)
        if directions.shape != (axes.size, axes.size):
            raise ValueError(
                f"directions must be of shape ({axes.size}, {axes.size}), got {directions.shape}"
            )
        across = np.ascontiguousarray(directions.T)
        if not np.abs(product(directions, across) - np.eye(axes.size)).max() <= 1e-12:
            raise ValueError("directions must be orthonormal rows, and are not")
        matrix = product(across * weights, directions)
        ellipsoid._keep(0.5 * matrix + 0.5 * matrix.T, axes, directions)
        return ellipsoid

    def _keep(self, matrix: np.ndarray, axes: np.ndarray, directions: np.ndarray) -> None:
        if np.array_equal(np.abs(directions), np.eye(len(axes))):  # a sign makes no difference
            whitening = 1.0 / axes[None]
        else:
            whitening = directions.T / axes
        for name, value in {
            "matrix": matrix,
            "axes": axes,
            "directions": directions,
            "whitening": whitening,
        }.items():
            object.__setattr__(self, name, read_only(np.array(value, order="C")))

    def __setstate__(self, state: dict[str, np.ndarray]) -> None:
        # In copies and after unpickling, numpy's arrays are no longer read-only.
        self._keep(state["matrix"], state["axes"], state["directions"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ellipsoid) and all(
            np.array_equal(one, two)
            for one, two in zip(vars(self).values(), vars(other).values(), strict=True)
        )

    def __hash__(self) -> int:
        return hash(self.axes.tobytes())  # in a matrix -0.0 equals 0.0

    def __repr__(self) -> str:
        return f"Ellipsoid(dim={self.dim}, axes {self.axes.min():.6g} .. {self.axes.max():.6g})"

    @property
    def dim(self) -> int:  # type: ignore[override]
        """Dimension d."""
        return self.axes.size

    @property
    def longest(self) -> float:
        """The longest semi-axis."""
        return float(self.axes.max())

    @property
    def basis(self) -> np.ndarray:
        """Rows a_k u_k (d, d): the semi-axes."""
        return self.axes[:, None] * self.directions

    @property
    def basis_strength(self) -> float:
        """The square of the shortest semi-axis."""
        shortest = float(self.axes.min())
        return shortest * shortest

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        """Points (n, d) uniform in the ellipsoid: images of points uniform in the unit ball."""
        draw_in_ball(keys, rounds, 1.0, points)
        stretch_ball(points, self.axes, self.directions, self.whitening)

    def _project_in_place(self, points: np.ndarray) -> None:
        """The nearest points of the ellipsoid to ``points`` (n, d).

        Accurate to 1e-12 of the longest semi-axis, by Newton's method within a bracket. Points of
        the ellipsoid, projections included, are returned bit for bit.
        """
        project_points(points, self.axes, self.directions, self.whitening)

    def argmax_in_place(self, directions: np.ndarray) -> None:
        """The best point for the direction 0 is the point 0."""
        best_points(directions, self.axes, self.directions, self.whitening)

    def _first_off(self, points: np.ndarray) -> int:
        return first_outside(points, self.whitening, TOLERANCE)

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        low, high = self.axes.min(), self.axes.max()
        return f"in the ellipsoid of semi-axes {low:.6g} .. {high:.6g}", "outside"
