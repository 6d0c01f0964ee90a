r"""Covariance functions of Gaussian processes, which are also reproducing kernels.

A covariance is a frozen dataclass of plain data, and a function: ``covariance(X, Y)`` of points
(a, d) and (b, d) is the matrix (a, b), and ``covariance.diagonal(X)`` the variances (a,) of points.
With the distance r of two points, l ``length_scale`` and s ``variance``:

========== ==============================================================
``RBF``    :math:`s\,e^{-r^2 / (2 l^2)}`
``Matern`` with :math:`c = \sqrt{2\nu}\,r/l`: :math:`s\,e^{-c}`,
           :math:`s\,(1 + c)\,e^{-c}`, :math:`s\,(1 + c + c^2/3)\,e^{-c}`
           for :math:`\nu` = 1/2, 3/2, 5/2
``Linear`` :math:`s\,\langle x, y\rangle`
========== ==============================================================

References
----------
C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press 2006, chapter
4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled
from banditgym.elementary import exp
from banditgym.validation import Checked, checked, of_kind, positive


def _check_length_scale(name: str, value: object) -> None:
    if not 1e-100 <= positive(name, value) <= 1e100:  # so that its square is in range
        raise ValueError(f"{name} must be within 1e-100 .. 1e100, got {value}")


@dataclass(frozen=True, kw_only=True)
class RBF(Checked):
    r"""The squared exponential, or Gaussian, kernel: smooth functions.

    Parameters
    ----------
    length_scale : float
        l, in units of the points' coordinates.
    variance : float
        s, the variance of the process at every point, in squared units of reward.

    Examples
    --------
    >>> RBF(length_scale=0.5)([[0.0, 0.0]], [[0.0, 0.0], [0.3, 0.4]]).round(4)
    array([[1.    , 0.6065]])
    """

    length_scale: float = checked(_check_length_scale, 0.2)
    variance: float = checked(positive, 1.0)

    def __call__(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The covariances (a, b) of points (a, d) and (b, d)."""
        values = _squared_distances(x, y)
        scale = -0.5 / (float(self.length_scale) * float(self.length_scale))
        _to_rbf(values.reshape(-1), scale, float(self.variance))
        return values

    def diagonal(self, x: np.ndarray) -> np.ndarray:
        """The variances (a,) at points (a, d)."""
        return np.full(len(x), float(self.variance))


@dataclass(frozen=True, kw_only=True)
class Matern(Checked):
    r"""The Matérn kernel: functions that are rough (1/2), or differentiable once or twice.

    Parameters
    ----------
    nu : float
        Smoothness, without unit: 0.5, 1.5 or 2.5.
    length_scale : float
        l, in units of the points' coordinates.
    variance : float
        s, the variance of the process at every point, in squared units of reward.
    """

    nu: float = 2.5
    length_scale: float = checked(_check_length_scale, 0.2)
    variance: float = checked(positive, 1.0)

    def __post_init__(self):
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu must be 0.5, 1.5 or 2.5, got {self.nu!r}")
        super().__post_init__()

    def __call__(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The covariances (a, b) of points (a, d) and (b, d)."""
        values = _squared_distances(x, y)
        scale = math.sqrt(2 * self.nu) / self.length_scale
        _to_matern(values.reshape(-1), int(self.nu), scale, float(self.variance))
        return values

    def diagonal(self, x: np.ndarray) -> np.ndarray:
        """The variances (a,) at points (a, d)."""
        return np.full(len(x), float(self.variance))


@dataclass(frozen=True, kw_only=True)
class Linear(Checked):
    r"""The linear kernel: linear functions through 0, whose variance grows with distance from it.

    Parameters
    ----------
    variance : float
        s, the variance of each coefficient, in squared units of reward per unit of features.
    """

    variance: float = checked(positive, 1.0)

    def __call__(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The covariances (a, b) of points (a, d) and (b, d)."""
        values = _pairwise(_fill_inner_products, x, y)
        values *= self.variance
        return values

    def diagonal(self, x: np.ndarray) -> np.ndarray:
        """The variances (a,) at points (a, d)."""
        x = np.asarray(x, dtype=np.float64)
        return self.variance * (x * x).sum(axis=1)


Covariance = RBF | Matern | Linear
KINDS: dict[str, type] = {"rbf": RBF, "matern": Matern, "linear": Linear}
_EXAMPLE = "or a mapping such as {'kind': 'rbf', 'length_scale': 0.3}"


def read_covariance(value: object) -> Covariance:
    """A covariance from itself or from plain data: "rbf", {"kind": "rbf", "length_scale": 1.0}.

    Raises
    ------
    ValueError
        For anything else, with the nearest name.
    """
    if isinstance(value, Covariance):
        return value
    if isinstance(value, str):
        value = {"kind": value}
    return of_kind("covariance", KINDS, value, f"{', '.join(KINDS)}, {_EXAMPLE}")


def _squared_distances(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    return _pairwise(_fill_squared_distances, x, y)


def _pairwise(fill: Callable, x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The symmetric values (a, b) that a kernel fills in for points (a, d) and (b, d)."""
    x, y = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)  # of one mutability
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1]:
        raise ValueError(f"expected points (a, d) and (b, d), got {x.shape} and {y.shape}")
    # Coordinates first and the longer side innermost: the inner loop runs along memory.
    swapped = len(x) > len(y)
    if swapped:
        x, y = y, x
    values = np.zeros((len(x), len(y)))
    fill(np.ascontiguousarray(x), np.array(y.T, order="C"), values)
    return np.ascontiguousarray(values.T) if swapped else values


@compiled
def _fill_squared_distances(x, columns, out):
    """Add the squared distances of the rows of x (a, d) and of ``columns`` (d, b) to out (a, b).

    By differences: for points close together, norms and inner products would lose all digits.
    """
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(columns.shape[1]):
                difference = x[i, j] - columns[j, k]
                out[i, k] += difference * difference


@compiled
def _to_rbf(values, scale, variance):
    """Turn squared distances into variance e^{scale r²}, in place."""
    for k in range(values.size):
        values[k] = variance * exp(scale * values[k])


@compiled
def _to_matern(values, order, scale, variance):
    """Turn squared distances into Matérn covariances, in place: order 0, 1, 2 for nu 1/2 .. 5/2."""
    for k in range(values.size):
        c = scale * math.sqrt(values[k])
        factor = 1.0
        if order == 1:
            factor = 1.0 + c
        elif order == 2:
            factor = 1.0 + c + c * c / 3.0
        values[k] = variance * (exp(-c) * factor)


@compiled
def _fill_inner_products(x, columns, out):
    """Add the inner products of the rows of x (a, d) and of ``columns`` (d, b) to out (a, b)."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(columns.shape[1]):
                out[i, k] += x[i, j] * columns[j, k]
