"""The unit cube: every coordinate lies between 0 and 1."""

from dataclasses import dataclass

import numpy as np

from banditgym.action_sets.points import TOLERANCE, PointSet, for_kernels
from banditgym.compiled import compiled
from banditgym.streams import fill_uniform
from banditgym.validation import Checked, checked, whole


@dataclass(frozen=True)
class Box(Checked, PointSet):
    r"""The points x of :math:`\mathbb{R}^d` with :math:`0 \le x_j \le 1`.

    Unlike the other sets it is not symmetric: -x need not be in it. A point is accepted if no
    coordinate lies more than 1e-9 outside.

    Parameters
    ----------
    dim : int
        Dimension d.

    Examples
    --------
    >>> Box(2).project(np.array([[0.5, 3.0], [-1.0, 0.25]]))
    array([[0.5 , 1.  ],
           [0.  , 0.25]])
    """

    dim: int = checked(whole)

    @property
    def longest(self) -> float:
        r""":math:`\sqrt d`, the norm of the corner (1, .., 1)."""
        return float(np.sqrt(float(self.dim)))

    @property
    def basis(self) -> np.ndarray:
        """Rows e_i (d, d)."""
        return np.eye(self.dim)

    @property
    def basis_strength(self) -> float:
        """1."""
        return 1.0

    @property
    def extent(self) -> np.ndarray:
        """The largest value (d,) of each coordinate, 1."""
        return np.ones(self.dim)

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        """Points (n, d) uniform in the box."""
        _draw(keys, rounds, points)

    def project(self, points: np.ndarray) -> np.ndarray:
        """The nearest points of the box to ``points`` (n, d), finite; a fresh array."""
        return np.minimum(np.maximum(for_kernels(points), 0.0), 1.0)

    def argmax_in_place(self, directions: np.ndarray) -> None:
        """The best points are corners; a coordinate without direction is 0."""
        directions[:] = directions > 0.0

    def _first_off(self, points: np.ndarray) -> int:
        return _first_off(points)

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        return f"in the box [0, 1]^{self.dim}", "outside"


@compiled
def _first_off(points):
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            if not -TOLERANCE <= points[i, j] <= 1.0 + TOLERANCE:  # nor where it is NaN
                return i
    return -1


@compiled
def _draw(keys, rounds, points):
    for i in range(points.shape[0]):
        fill_uniform(keys[i, 0], keys[i, 1], rounds[i], points[i])
