"""The sphere."""

import math
from dataclasses import dataclass

import numpy as np

from banditgym.action_sets.ball import RoundSet, first_off_length, stretch_rows
from banditgym.action_sets.points import TOLERANCE, for_kernels, lengths
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import inner, length, stretch
from banditgym.streams import fill_normal


@dataclass(frozen=True)
class Sphere(RoundSet):
    r"""The points x of :math:`\mathbb{R}^d` with :math:`\lVert x\rVert = r`.

    Where all points are equally good, as the nearest to 0 or the best in the direction 0, the
    answer is :math:`r e_1`. In one dimension the sphere is the pair of points -r and r.

    Parameters
    ----------
    dim : int
        Dimension d.
    radius : float
        r, > 0.
    """

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        """Points (n, d) uniform on the sphere: d normals scaled to the length r."""
        _draw(keys, rounds, self.longest, points)

    def _project_in_place(self, points: np.ndarray) -> None:
        """The nearest points of the sphere to ``points`` (n, d).

        For 0 it is r e_1. Points of the sphere up to rounding, projections included, are returned
        bit for bit.
        """
        _project(points, self.longest)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """How far from the sphere ``points`` (n, d) lie, inside or outside, (n,)."""
        return np.abs(lengths(for_kernels(points)) - self.radius)

    def argmax_in_place(self, directions: np.ndarray) -> None:
        r"""The best point is :math:`r u / \lVert u \rVert` for a direction u, r e_1 if u = 0."""
        stretch_rows(directions, self.longest)
        _leave_the_centre(directions, self.longest)

    def _first_off(self, points: np.ndarray) -> int:
        return first_off_length(points, self.longest, TOLERANCE, TOLERANCE)

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        inside = lengths(for_kernels(point[None]))[0] < self.radius
        return f"on the sphere of radius {self.radius}", "inside" if inside else "outside"


@compiled
def _project(points, radius):
    # The largest rounding error in the length of a point on the sphere, and in computing it.
    slack = (points.shape[1] + 4) * 2.0**-52
    for i in range(points.shape[0]):
        if not abs(length(points, i) - radius) <= radius * slack:
            stretch(points, i, radius)
    _leave_the_centre(points, radius)


@compiled
def _leave_the_centre(points, radius):
    n, dim = points.shape
    for i in range(n):
        j = 0
        while j < dim and points[i, j] == 0.0:
            j += 1
        if j == dim:
            points[i, 0] = radius


@compiled
def _draw(keys, rounds, radius, points):
    n, dim = points.shape
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], rounds[i], points[i])
        norm = math.sqrt(inner(points, points, i))
        for j in range(dim):
            points[i, j] = radius * (points[i, j] / norm)
