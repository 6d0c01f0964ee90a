"""Balls of the norms between l_1 and l_2."""

import math
from dataclasses import dataclass

import numpy as np

from banditgym.action_sets.points import TOLERANCE, RadialSet
from banditgym.compiled import compiled, inlined
from banditgym.elementary import log1p, power
from banditgym.streams import gamma_at, uniform_at
from banditgym.validation import positive, real, whole

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
        Exponent, 1 < p <= 2. The set's curvature, on which regret depends, is proportional to
        p - 1.
    radius : float
        r, within 1e-150 .. 1e150.

    References
    ----------
    F. Barthe, O. Guédon, S. Mendelson, A. Naor. A probabilistic approach to the geometry of the
    l_p^n-ball. Annals of Probability 33, 2005: the distribution of ``draw``.
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

    def _draw_into(self, keys: np.ndarray, rounds: np.ndarray, points: np.ndarray) -> None:
        r"""Points (n, d) uniform in the ball.

        :math:`r g / (\sum_i |g_i|^p + w)^{1/p}` with independent :math:`g_i` of density
        proportional to :math:`\exp(-|g|^p)` and w exponential [Barthe et al.]. A :math:`g_i` is
        :math:`\gamma^{1/p} u`, with :math:`\gamma` from Gamma(1 + 1/p) and u uniform on (-1, 1).
        """
        _draw(keys, rounds, float(self.p), float(self.radius), points)

    def _project_in_place(self, points: np.ndarray) -> None:
        """The nearest points of the ball to ``points`` (n, d).

        Accurate to 1e-12 of the radius for p >= 1 + 1e-6, by Newton's method within a bracket.
        Points of the ball, projections included, are returned bit for bit.
        """
        _project(points, float(self.p), float(self.radius))

    def argmax_in_place(self, directions: np.ndarray) -> None:
        """The best point for the direction 0 is the point 0."""
        _best(directions, float(self.p), float(self.radius))

    def _first_off(self, points: np.ndarray) -> int:
        return _first_off(points, float(self.p), float(self.radius))

    def _place(self, point: np.ndarray) -> tuple[str, str]:
        return f"in the l_{self.p:g} ball of radius {self.radius}", "outside"


@inlined
def _power(x, p):
    """x^p for x >= 0; for some p by products and roots, which are several times as fast."""
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
def _raise(x, p):
    """Replace each x >= 0 by x^p; vectorised if the length is a multiple of eight."""
    if p == 0.5 or p == 1.5 or p == 2.0 or p == 3.0:
        for j in range(x.size):
            x[j] = _power(x[j], p)
    else:
        for j in range(x.size):
            x[j] = power(x[j], p)


@inlined
def _padded(dim):
    """Zeros for ``dim`` numbers, padded so that no vector has a remainder."""
    return np.zeros((dim + 7) // 8 * 8)


@inlined
def _total(x):
    total = 0.0
    for value in x:
        total += value
    return total


@compiled
def _first_off(points, p, radius):
    n, dim = points.shape
    unit, most = 1.0 / radius, _power(1.0 + TOLERANCE, p)
    sizes = _padded(n * dim)
    for i in range(n):
        for j in range(dim):
            sizes[i * dim + j] = abs(points[i, j]) * unit
    _raise(sizes, p)
    for i in range(n):
        total = 0.0
        for j in range(dim):
            total += sizes[i * dim + j]
        if not total <= most:  # nor where it is NaN
            return i
    return -1


@compiled
def _best(points, p, radius):
    work = _padded(points.shape[1])
    for i in range(points.shape[0]):
        _best_point(points, i, p, radius, work)


@compiled
def _best_point(points, i, p, radius, work):
    """Replace point i, a direction, by the best point of the ball in this direction; 0 stays 0."""
    dim = points.shape[1]
    largest = 0.0
    for j in range(dim):
        largest = max(largest, abs(points[i, j]))
    if largest == 0.0:
        return
    for j in range(dim):
        work[j] = abs(points[i, j]) / largest
    _raise(work, 1.0 / (p - 1.0))
    for j in range(dim):
        points[i, j] = math.copysign(work[j], points[i, j])
    _raise(work, p)
    norm = _power(_total(work), 1.0 / p)
    for j in range(dim):
        points[i, j] = radius * (points[i, j] / norm)


@compiled
def _project(points, p, radius):
    n, dim = points.shape
    x, y, work = _padded(dim), _padded(dim), _padded(dim)
    for i in range(n):
        largest = 0.0
        for j in range(dim):
            x[j] = abs(points[i, j]) / radius
            largest = max(largest, x[j])
        if largest > 1e30:  # the nearest point is then the farthest in its direction
            _best_point(points, i, p, radius, work)
            continue
        for j in range(x.size):
            work[j] = x[j]
        _raise(work, p)
        # The largest rounding error of a point on the boundary and of its sum.
        if _power(_total(work), 1.0 / p) <= 1.0 + (dim + 8) * _EPS:
            continue
        norm = _shrink(x, p, dim, y, work)
        for j in range(dim):
            points[i, j] = math.copysign(radius * (y[j] / norm), points[i, j])


@compiled
def _shrink(x, p, dim, y, work):
    """Write the point y of norm 1 nearest to x >= 0 of norm > 1; returns its computed norm.

    Newton's method on mu -> 1 / ‖y(mu)‖_p, within a bracket.
    """
    largest = 0.0
    for value in x:
        largest = max(largest, value)
    for j in range(x.size):
        work[j] = x[j] / largest
    _raise(work, p / (p - 1.0))
    # At mu = ‖x‖_q the norm is below 1, since y_i <= (x_i / mu)^(q-1).
    low, high = 0.0, largest * _power(_total(work), (p - 1.0) / p)
    above, roots = x.copy(), np.empty(x.size)
    _raise(above, p - 1.0)
    mu, norm = 0.0, 1.0
    for _ in range(200):
        _coordinates(x, above, mu, p, y, roots)
        for j in range(y.size):
            work[j] = y[j]
        _raise(work, p)
        total, change = 0.0, 0.0
        for j in range(dim):
            if y[j] > 0.0:
                total += work[j]
                change += y[j] * roots[j] * roots[j] / (y[j] + mu * (p - 1.0) * roots[j])
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
def _coordinates(x, above, mu, p, y, u):
    """Write the y with y + mu y^(p-1) = x, and u = y^(p-1), for x >= 0; ``above`` is x^(p-1).

    u solves u^(1/(p-1)) + mu u = x, whose left side is convex: from above, Newton's method only
    descends. All coordinates take steps until the last has converged; converged ones stay.
    """
    inverse = 1.0 / (p - 1.0)
    for j in range(x.size):
        u[j] = x[j] / mu if mu * above[j] > x[j] else above[j]
    for _ in range(100):
        for j in range(u.size):
            y[j] = u[j]
        _raise(y, inverse)
        moved = False
        for j in range(x.size):
            following = u[j] - (y[j] + mu * u[j] - x[j]) / (inverse * (y[j] / u[j]) + mu)
            if y[j] > 0.0 and following < u[j]:
                u[j] = following
                moved = True
        if not moved:
            break
    for j in range(x.size):
        # Of two formulas for y, the more accurate one: errors are eps mu u and eps y / (p - 1).
        if mu * u[j] < inverse * y[j]:
            y[j] = x[j] - mu * u[j]


@compiled
def _draw(keys, rounds, p, radius, points):
    n, dim = points.shape
    for i in range(n):
        k0, k1, t = keys[i, 0], keys[i, 1], rounds[i]
        # Gammas use numbers beyond those of uniform_at, so the two share none.
        total = -log1p(-uniform_at(k0, k1, t, dim))
        for j in range(dim):
            size = _power(gamma_at(k0, k1, t, j, 1.0 + 1.0 / p), 1.0 / p)
            points[i, j] = size * (2.0 * uniform_at(k0, k1, t, j) - 1.0)
            total += _power(abs(points[i, j]), p)
        scale = radius / _power(total, 1.0 / p)
        for j in range(dim):
            points[i, j] *= scale
