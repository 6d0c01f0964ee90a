r"""Standard test functions of global optimisation, on the unit cube, to be maximised.

The literature minimises each on a domain of its own. Here a function takes points of
:math:`[0, 1]^d`, scales them to the domain, and returns the negative of the literature's value.
With x in the domain, the literature minimises

=============== ========= ============== ===========================================================
name            dim       domain         :math:`f(x)`
=============== ========= ============== ===========================================================
``branin``      2         [-5, 10] x     :math:`(x_2 - \frac{5.1}{4\pi^2} x_1^2 + \frac5\pi x_1 -
                          [0, 15]        6)^2 + 10 (1 - \frac1{8\pi}) \cos x_1 + 10`
``hartmann3``   3         [0, 1]^3       :math:`-\sum_{i=1}^4 c_i \exp(-\sum_j A_{ij} (x_j -
                                         P_{ij})^2)`
``hartmann6``   6         [0, 1]^6       the same with other A, P
``ackley``      d >= 1    [-32.768,      :math:`20 + e - 20 \exp(-\frac15 \sqrt{\frac1d \sum_j
                          32.768]^d      x_j^2}) - \exp(\frac1d \sum_j \cos 2\pi x_j)`
``michalewicz`` d >= 1    [0, pi]^d      :math:`-\sum_j \sin x_j \sin^{20}(j x_j^2/\pi)`
``eggholder``   2         [-512, 512]^2  :math:`-(x_2 + 47) \sin\sqrt{\lvert x_2 + \frac{x_1}2 +
                                         47\rvert} - x_1 \sin\sqrt{\lvert x_1 - x_2 - 47\rvert}`
=============== ========= ============== ===========================================================

References
----------
L. C. W. Dixon, G. P. Szegő. Towards Global Optimisation 2. North-Holland 1978 (Branin, Hartmann).

S. Surjanovic, D. Bingham. Virtual Library of Simulation Experiments: Test Functions and Datasets.
Simon Fraser University 2013.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.elementary import each_cos, each_exp, each_sin

_HARTMANN_C = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN3_A = np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]])
_HARTMANN3_P = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
)
_HARTMANN6_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_HARTMANN6_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


# The formulas take coordinates x (d, m), contiguous along m, and add them up one after the other,
# so the value at a point does not depend on the number of points.


def _branin(x: np.ndarray) -> np.ndarray:
    valley = x[1] - 5.1 / (4 * math.pi * math.pi) * x[0] * x[0] + 5 / math.pi * x[0] - 6
    return valley * valley + 10 * (1 - 1 / (8 * math.pi)) * each_cos(x[0]) + 10


def _hartmann(x: np.ndarray, a: np.ndarray, p: np.ndarray) -> np.ndarray:
    total = np.zeros(x.shape[1])
    for i in range(4):
        exponent = np.zeros(x.shape[1])
        for j in range(len(x)):
            away = x[j] - p[i, j]
            exponent += a[i, j] * away * away
        total -= _HARTMANN_C[i] * each_exp(-exponent)
    return total


_hartmann3 = partial(_hartmann, a=_HARTMANN3_A, p=_HARTMANN3_P)
_hartmann6 = partial(_hartmann, a=_HARTMANN6_A, p=_HARTMANN6_P)


def _ackley(x: np.ndarray) -> np.ndarray:
    squares, cosines = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for coordinate in x:
        squares += coordinate * coordinate
        cosines += each_cos(2 * math.pi * coordinate)
    d = len(x)
    return 20 + math.e - 20 * each_exp(-0.2 * np.sqrt(squares / d)) - each_exp(cosines / d)


def _michalewicz(x: np.ndarray) -> np.ndarray:
    total = np.zeros(x.shape[1])
    for j, coordinate in enumerate(x, start=1):
        total -= _michalewicz_term(coordinate, j)
    return total


def _michalewicz_term(x: np.ndarray, j: int) -> np.ndarray:
    square = each_sin(j * x * x / math.pi)
    square *= square
    fourth = square * square
    eighth = fourth * fourth
    return each_sin(x) * (eighth * eighth * fourth)


def _eggholder(x: np.ndarray) -> np.ndarray:
    y = x[1] + 47
    first = y * each_sin(np.sqrt(np.abs(y + x[0] / 2)))
    return -first - x[0] * each_sin(np.sqrt(np.abs(x[0] - y)))


def _best_of_michalewicz(dim: int) -> np.ndarray:
    """Points (1, d): the maximiser of each term, because terms share no coordinate."""
    best = []
    for j in range(1, dim + 1):
        # The twentieth power is 1 where j x² / pi is pi / 2 plus a multiple of pi: each maximum of
        # the term is near one of these points, where it is sought on ever finer grids.
        top = np.sqrt(math.pi * math.pi / j * (0.5 + np.arange(j)))
        reach, values = math.pi * math.pi / (4 * j * top), top[:, None]
        for _ in range(4):
            x = top[:, None] + reach[:, None] * np.linspace(-1.0, 1.0, 101)  # (j, 101)
            values = _michalewicz_term(np.clip(x, 0.0, math.pi), j)
            top = x[np.arange(j), np.argmax(values, axis=1)]
            reach /= 50
        best.append(top[np.argmax(values.max(axis=1))])
    return np.array([best])


def _best_of_ackley(dim: int) -> np.ndarray:
    return np.zeros((1, dim))


_BRANIN_BEST = [[-math.pi, 12.275], [math.pi, 2.275], [3 * math.pi, 2.475]]
# The literature's points, to more digits: minima of the formulas by Nelder and Mead's method.
_HARTMANN3_BEST = [[0.114588881, 0.555648895, 0.852546984]]
_HARTMANN6_BEST = [[0.201689511, 0.150010692, 0.476873974, 0.275332430, 0.311651617, 0.657300534]]
_EGGHOLDER_BEST = [[512.0, 404.231805123]]


@dataclass(frozen=True, eq=False)
class Objective:
    """A test function on the unit cube, to be maximised.

    Parameters
    ----------
    name : str
    dim : int or None
        Number of coordinates d; None where it is free.
    low, high : tuple of float
        The domain to which the cube is scaled; one number for all coordinates where d is free.
    formula : callable
        The function to minimise, of coordinates (d, m) in the domain.
    best : array (p, d), or callable
        The points of the domain where the minimum is attained; where d is free, a function of it.

    Examples
    --------
    >>> branin = OBJECTIVES["branin"]
    >>> branin.maximisers(2).round(4)
    array([[0.1239, 0.8183],
           [0.5428, 0.1517],
           [0.9617, 0.165 ]])
    >>> branin(branin.maximisers(2)).round(6)
    array([-0.397887, -0.397887, -0.397887])
    """

    name: str
    dim: int | None
    low: tuple[float, ...]
    high: tuple[float, ...]
    formula: Callable[[np.ndarray], np.ndarray]
    best: Any

    def __call__(self, points: ArrayLike) -> np.ndarray:
        """The values (m,) at points (m, d) of the unit cube.

        Raises
        ------
        ValueError
            If the points are not of that shape.
        """
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 2 or self.dim not in (None, points.shape[1]):
            raise ValueError(f"{self.name} takes points (m, {self.dim or 'd'}), got {points.shape}")
        return self.of_columns(np.array(points.T, order="C"))

    def of_columns(self, columns: np.ndarray) -> np.ndarray:
        """The values (m,) at points given by their coordinates (d, m), C-contiguous."""
        low, high = np.array(self.low)[:, None], np.array(self.high)[:, None]
        return -self.formula(low + (high - low) * columns)

    def maximisers(self, dim: int) -> np.ndarray:
        """The points (p, d) of the unit cube where the maximum is attained."""
        best = self.best(dim) if callable(self.best) else self.best
        return (np.array(best) - self.low) / (np.array(self.high) - self.low)

    def maximum(self, dim: int) -> float:
        """The largest value on the unit cube of d dimensions."""
        return float(self(self.maximisers(dim)).max())


OBJECTIVES: dict[str, Objective] = {
    each.name: each
    for each in (
        Objective("branin", 2, (-5.0, 0.0), (10.0, 15.0), _branin, _BRANIN_BEST),
        Objective("hartmann3", 3, (0.0,), (1.0,), _hartmann3, _HARTMANN3_BEST),
        Objective("hartmann6", 6, (0.0,), (1.0,), _hartmann6, _HARTMANN6_BEST),
        Objective("ackley", None, (-32.768,), (32.768,), _ackley, _best_of_ackley),
        Objective("michalewicz", None, (0.0,), (math.pi,), _michalewicz, _best_of_michalewicz),
        Objective("eggholder", 2, (-512.0,), (512.0,), _eggholder, _EGGHOLDER_BEST),
    )
}
