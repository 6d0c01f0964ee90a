"""The ball, and the kernels that it shares with the sphere."""

import math
from dataclasses import dataclass

import numpy as np

from banditgym.action_sets.points import TOLERANCE, RadialSet, for_kernels, lengths
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import inner, length, project, stretch
from banditgym.streams import fill_normal
from banditgym.validation import Checked, checked, positive, whole


@dataclass(frozen=True)
class RoundSet(Checked, RadialSet):
    """A ball or a sphere."""

    dim: int = checked(whole)
    radius: float = checked(positive, 1.0)


@dataclass(frozen=True)
class Ball(RoundSet):
    r"""The points x of :math:`\mathbb{R}^d` with :math:`\lVert x\rVert \le r`.

    Parameters
    ----------
    dim : int
        Dimension d.
    radius : float
        r, > 0.
    """

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        """Points (n, d) uniform in the ball: d coordinates of points on the sphere of R^(d + 2)."""
        draw_in_ball(keys, rounds, self.longest, points)

    def _project_in_place(self, points: np.ndarray) -> None:
        """The nearest points of the ball to ``points`` (n, d).

        Points of the ball, projections included, are returned bit for bit.
        """
        _project(points, self.longest)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """How far outside ``points`` (n, d) lie, (n,); 0 for points of the ball."""
        return np.maximum(0.0, lengths(for_kernels(points)) - self.radius)

    def argmax_in_place(self, directions: np.ndarray) -> None:
        r"""The best point is :math:`r u / \lVert u \rVert` for a direction u, and 0 if u = 0."""
        stretch_rows(directions, self.longest)

    def _first_off(self, points: np.ndarray) -> int:
        return first_off_length(points, self.longest, math.inf, TOLERANCE)

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        return f"in the ball of radius {self.radius}", "outside"


@compiled
def first_off_length(points, radius, inside, outside):
    """The first of points (n, d) that is too short or too long for ``radius``, or -1.

    The tolerances ``inside`` and ``outside`` are relative to the radius. A point that is not finite
    is never accepted.
    """
    n, dim = points.shape
    for i in range(n):
        square = inner(points, points, i)
        if 1e-280 < square < math.inf:
            beyond = math.sqrt(square) - radius
        else:
            for j in range(dim):
                if not math.isfinite(points[i, j]):
                    return i
            beyond = length(points, i) - radius
        if beyond > outside * radius or beyond < -inside * radius:
            return i
    return -1


@compiled
def stretch_rows(points, radius):
    """Scale points (n, d) to the length ``radius``, in place; 0 stays 0."""
    for i in range(points.shape[0]):
        stretch(points, i, radius)


@compiled
def _project(points, radius):
    for i in range(points.shape[0]):
        project(points, i, radius)


@compiled
def draw_in_ball(keys, rounds, radius, points):
    """Write points (n, d) uniform in the ball, of these rounds (n,)."""
    n, dim = points.shape
    normals = np.empty(dim + 2)
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], rounds[i], normals)
        total = 0.0
        for normal in normals:
            total += normal * normal
        scale = radius / math.sqrt(total)
        for j in range(dim):
            points[i, j] = scale * normals[j]
