r"""Ellipsoids :math:`x^\top Q x \le 1`: whitening, best points in directions, nearest points.

:math:`Q = \sum_k a_k^{-2} u_k u_k^\top` is passed as ``axes`` (d,), the semi-axes :math:`a_k`;
``directions`` (d, d), rows :math:`u_k`; and ``whitening`` W (d, d), columns :math:`u_k / a_k`. If
the semi-axes lie along the coordinate axes, ``whitening`` is W's diagonal (1, d). A point costs
O(d²), and O(d) in that case.
"""

import math

import numpy as np

from banditgym.compiled import compiled
from banditgym.linalg.product import row_product

_EPS = 2.0**-52


@compiled
def _whiten(points, i, whitening, out):
    """Write W^T x (d,) of point i."""
    dim = points.shape[1]
    if whitening.shape[0] == 1:
        for k in range(dim):
            out[k] = points[i, k] * whitening[0, k]
        return
    row_product(points[i], whitening, out)


@compiled
def _combine(points, i, weights, scale, directions, upright):
    """Make point i the sum of ``scale`` weights_k u_k."""
    dim = points.shape[1]
    if upright:
        for k in range(dim):
            points[i, k] = scale * weights[k]
        return
    for j in range(dim):
        points[i, j] = 0.0
    for k in range(dim):
        weight = scale * weights[k]
        for j in range(dim):
            points[i, j] += weight * directions[k, j]


@compiled
def first_outside(points, whitening, tolerance):
    """The first of points (n, d) with x^T Q x > (1 + tolerance)², or not finite, or -1."""
    n, dim = points.shape
    white = np.empty(dim)
    most = (1.0 + tolerance) * (1.0 + tolerance)
    for i in range(n):
        square = 0.0
        if whitening.shape[0] == 1:
            for k in range(dim):
                value = points[i, k] * whitening[0, k]
                square += value * value
        else:
            _whiten(points, i, whitening, white)
            for k in range(dim):
                square += white[k] * white[k]
        if not square <= most:  # nor where it is NaN
            return i
    return -1


@compiled
def stretch_ball(points, axes, directions, whitening):
    """Map points of the unit ball to those of the ellipsoid, in place."""
    n, dim = points.shape
    upright = whitening.shape[0] == 1
    weights = np.empty(dim)
    for i in range(n):
        for k in range(dim):
            weights[k] = points[i, k] * axes[k]
        _combine(points, i, weights, 1.0, directions, upright)


@compiled
def best_points(points, axes, directions, whitening):
    """Make points (n, d), directions, the best points of the ellipsoid in them; 0 stays 0."""
    for i in range(points.shape[0]):
        _best_point(points, i, axes, directions, whitening)


@compiled
def _best_point(points, i, axes, directions, whitening):
    """Make point i, a direction, the best point of the ellipsoid in it; 0 stays 0."""
    dim = points.shape[1]
    largest, longest = 0.0, 0.0
    for j in range(dim):
        largest = max(largest, abs(points[i, j]))
        longest = max(longest, axes[j])
    if largest == 0.0:
        return
    # By sizes near 1, whose squares are floats. The whitened direction is u_k^T theta / a_k.
    for j in range(dim):
        points[i, j] /= largest
    weights = np.empty(dim)
    _whiten(points, i, whitening, weights)
    square = 0.0
    for k in range(dim):
        weights[k] *= axes[k] * (axes[k] / longest)
        square += weights[k] * weights[k]
    for k in range(dim):
        weights[k] = axes[k] * (weights[k] / math.sqrt(square))
    _combine(points, i, weights, 1.0, directions, whitening.shape[0] == 1)


@compiled
def project_points(points, axes, directions, whitening):
    """Bring points (n, d) to the nearest points of the ellipsoid, in place."""
    n, dim = points.shape
    longest = 0.0
    for k in range(dim):
        longest = max(longest, axes[k])
    width, z = axes / longest, np.empty(dim)  # in units of the longest semi-axis
    for i in range(n):
        largest = 0.0
        for j in range(dim):
            largest = max(largest, abs(points[i, j]))
        if largest > 1e30 * longest:  # the nearest point is then the farthest in its direction
            _best_point(points, i, axes, directions, whitening)
            continue
        _whiten(points, i, whitening, z)
        square, norm, slope = 0.0, 0.0, 0.0
        for k in range(dim):
            square += z[k] * z[k]
            slope += (z[k] / width[k]) * (z[k] / width[k])
            z[k] *= width[k]
            norm += z[k] * z[k]
        # What rounding of a point on the boundary may add to the square: its length times its
        # gradient's.
        if square <= 1.0 + 2.0 * (dim + 8) * _EPS * math.sqrt(norm * slope):
            continue
        shift = _root(z, width, square)
        for k in range(dim):
            part = width[k] * width[k]
            z[k] *= part / (part + shift)
        _combine(points, i, z, longest, directions, whitening.shape[0] == 1)


@compiled
def _root(z, width, square):
    """The mu > 0 at which sum_k (width_k z_k / (width_k² + mu))² = 1, of a point outside.

    Newton's method on sqrt(1 / sum), which is nearly straight, within a bracket.
    """
    dim = z.size
    narrowest = width[0]
    for k in range(1, dim):
        narrowest = min(narrowest, width[k])
    beyond = math.sqrt(square) - 1.0
    low, high = narrowest * narrowest * beyond, beyond
    mu = low
    for _ in range(200):
        total, change = 0.0, 0.0
        for k in range(dim):
            part = width[k] * width[k] + mu
            term = (width[k] * z[k] / part) * (width[k] * z[k] / part)
            total += term
            change += term / part
        if abs(total - 1.0) <= (dim + 4) * _EPS:
            break
        if total > 1.0:
            low = mu
        else:
            high = mu
        following = mu + (math.sqrt(total) - 1.0) * total / change
        if not low < following < high:
            following = 0.5 * (low + high)
        if following == mu:
            break
        mu = following
    return mu
