"""Balls of the norms between l_1 and l_2."""

import math
from dataclasses import dataclass

import numpy as np

from banditgym.action_sets.points import TOLERANCE, RadialSet, for_kernels
from banditgym.compiled import compiled, inlined
from banditgym.elementary import log1p, power
from banditgym.settings import positive, real, whole
from banditgym.streams import gamma_at, uniform_at

_EPS = 2.0**-52


@dataclass(frozen=True)
class LpBall(RadialSet):
    r"""The points x of :math:`\mathbb{R}^d` with :math:`\lVert x\rVert_p \le r`, 1 < p <= 2.

    With :math:`q = p / (p - 1)`,

    - the best point in the direction :math:`\theta` is
      :math:`x_i = r\, \mathrm{sign}(\theta_i) |\theta_i|^{q-1} / \lVert\theta\rVert_q^{q-1}`, and
      0 for :math:`\theta = 0`;
    - the nearest point y to an x outside has :math:`y_i = \mathrm{sign}(x_i) |y_i|`, where
      :math:`|y_i| + \mu |y_i|^{p-1} = |x_i|` and :math:`\mu > 0` solves
      :math:`\sum_i |y_i|^p = r^p`.

    Parameters
    ----------
    dim : int
        Dimension d.
    p : float
        Exponent, 1 < p <= 2. The set's curvature, which learners' regret needs, fades as p - 1.
    radius : float
        r, within 1e-150 .. 1e150.

    References
    ----------
    F. Barthe, O. Guédon, S. Mendelson, A. Naor. A probabilistic approach to the geometry of the
    l_p^n-ball. Annals of Probability 33, 2005: the law of ``draw``.
    """

    dim: int
    p: float
    radius: float = 1.0

    def __post_init__(self):
        whole("dim", self.dim)
        if not 1 < real("p", self.p) <= 2:
            raise ValueError(f"p must be > 1 and <= 2, got {self.p}")
        if not 1e-150 <= positive("radius", self.radius) <= 1e150:
            raise ValueError(f"radius must lie within 1e-150 .. 1e150, got {self.radius}")

    def draw(self, keys: np.ndarray, rounds: np.ndarray) -> np.ndarray:
        r"""Points (n, d) uniform in the ball.

        :math:`r g / (\sum_i |g_i|^p + w)^{1/p}` with independent :math:`g_i` of density
        proportional to :math:`\exp(-|g|^p)` and w exponential [Barthe et al.]. A :math:`g_i` is
        :math:`\gamma^{1/p} u`, :math:`\gamma` of the law Gamma(1 + 1/p) and u uniform on (-1, 1).
        """
        points = np.empty((len(rounds), self.dim))
        _draw(keys, rounds, float(self.p), float(self.radius), points)
        return points

    def project(self, points: np.ndarray) -> np.ndarray:
        """The nearest points of the ball to ``points`` (n, d), finite; a fresh array.

        To 1e-12 of the radius for p >= 1 + 1e-6, by Newton's method within a bracket. Points of the
        ball stay what they are bit for bit, and so do projections.
        """
        nearest = for_kernels(points).copy()
        _project(nearest, float(self.p), float(self.radius))
        return nearest

    def argmax(self, direction: np.ndarray) -> np.ndarray:
        """Best points in the directions (n, d); 0 for a direction 0."""
        best = for_kernels(direction).copy()
        _best(best, float(self.p), float(self.radius))
        return best

    def _first_off(self, points: np.ndarray) -> int:
        return _first_off(points, float(self.p), float(self.radius))

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        return f"in the l_{self.p:g} ball of radius {self.radius}", "outside"


@inlined
def _power(x, p):
    """x^p of an x >= 0; some are products and roots, which are several times as fast."""
    if p == 0.5:
        return math.sqrt(x)
    if p == 1.5:
        return x * math.sqrt(x)
    if p == 2.0:
        return x * x
    if p == 3.0:
        return x * x * x
    return power(x, p)


@compiled
def _first_off(points, p, radius):
    n, dim = points.shape
    unit, most, powers = 1.0 / radius, _power(1.0 + TOLERANCE, p), np.empty(dim)
    for i in range(n):
        for j in range(dim):  # unlike a sum, powers are worked out several at a time
            powers[j] = _power(abs(points[i, j]) * unit, p)
        total = 0.0
        for j in range(dim):
            total += powers[j]
        if not total <= most:  # nor where it is NaN
            return i
    return -1


@compiled
def _best(points, p, radius):
    for i in range(points.shape[0]):
        _best_point(points, i, p, radius)


@compiled
def _best_point(points, i, p, radius):
    """Make point i, a direction, the best point of the ball in it; 0 stays 0."""
    dim = points.shape[1]
    largest = 0.0
    for j in range(dim):
        largest = max(largest, abs(points[i, j]))
    if largest == 0.0:
        return
    total = 0.0
    for j in range(dim):
        weight = _power(abs(points[i, j]) / largest, 1.0 / (p - 1.0))
        points[i, j] = math.copysign(weight, points[i, j])
        total += _power(weight, p)
    norm = _power(total, 1.0 / p)
    for j in range(dim):
        points[i, j] = radius * (points[i, j] / norm)


@compiled
def _project(points, p, radius):
    n, dim = points.shape
    x, y = np.empty(dim), np.empty(dim)
    for i in range(n):
        largest = 0.0
        for j in range(dim):
            largest = max(largest, abs(points[i, j]) / radius)
        if largest > 1e30:  # the nearest point is then the farthest in its direction
            _best_point(points, i, p, radius)
            continue
        total = 0.0
        for j in range(dim):
            x[j] = abs(points[i, j]) / radius
            total += _power(x[j], p)
        # What rounding of a point on the boundary, and of its sum, may add.
        if _power(total, 1.0 / p) <= 1.0 + (dim + 8) * _EPS:
            continue
        norm = _shrink(x, p, y)
        for j in range(dim):
            points[i, j] = math.copysign(radius * (y[j] / norm), points[i, j])


@compiled
def _shrink(x, p, y):
    """Write the point y of norm 1 nearest to x >= 0 of norm > 1; the norm it has is returned.

    Newton's method on mu -> 1 / ‖y(mu)‖_p, within a bracket.
    """
    dim = x.size
    largest, total = 0.0, 0.0
    for j in range(dim):
        largest = max(largest, x[j])
    for j in range(dim):
        total += _power(x[j] / largest, p / (p - 1.0))
    # At mu = ‖x‖_q the norm is below 1, since y_i <= (x_i / mu)^(q-1).
    low, high = 0.0, largest * _power(total, (p - 1.0) / p)
    mu, norm = 0.0, 1.0
    for _ in range(200):
        total, change = 0.0, 0.0
        for j in range(dim):
            y[j], root = 0.0, 0.0
            if x[j] > 0.0:
                y[j], root = _coordinate(x[j], mu, p)
            if y[j] > 0.0:
                total += _power(y[j], p)
                change += y[j] * root * root / (y[j] + mu * (p - 1.0) * root)
        norm = _power(total, 1.0 / p)
        if abs(norm - 1.0) <= (dim + 4) * _EPS:
            break
        if norm > 1.0:
            low = mu
        else:
            high = mu
        following = mu + total * (norm - 1.0) / change
        if not low < following < high:
            following = 0.5 * (low + high)
        if following == mu:
            break
        mu = following
    return norm


@compiled
def _coordinate(x, mu, p):
    """The y > 0 with y + mu y^(p-1) = x, and y^(p-1), for x > 0.

    u = y^(p-1) solves u^(1/(p-1)) + mu u = x, whose left side is convex: from above, Newton's
    method only comes down.
    """
    inverse = 1.0 / (p - 1.0)
    u = _power(x, p - 1.0)
    if mu * u > x:
        u = x / mu
    for _ in range(100):
        y = _power(u, inverse)
        if y == 0.0:
            break
        following = u - (y + mu * u - x) / (inverse * (y / u) + mu)
        if not following < u:
            break
        u = following
    y = _power(u, inverse)
    # Of two ways to say y, the one that errs less: by eps mu u, or by eps y / (p - 1).
    if mu * u < inverse * y:
        y = x - mu * u
    return y, u


@compiled
def _draw(keys, rounds, p, radius, points):
    n, dim = points.shape
    for i in range(n):
        k0, k1, t = keys[i, 0], keys[i, 1], rounds[i]
        # Gammas are made from numbers beyond those of uniform_at: they share none.
        total = -log1p(-uniform_at(k0, k1, t, dim))
        for j in range(dim):
            size = _power(gamma_at(k0, k1, t, j, 1.0 + 1.0 / p), 1.0 / p)
            points[i, j] = size * (2.0 * uniform_at(k0, k1, t, j) - 1.0)
            total += _power(abs(points[i, j]), p)
        scale = radius / _power(total, 1.0 / p)
        for j in range(dim):
            points[i, j] *= scale
