r"""Posterior of a function at points that change, under a kernel: a factor that gains rows.

With the scaled kernel :math:`G = K / \lambda` of the t points observed, the Cholesky factor L of
:math:`G + I` is kept, and :math:`z = L^{-1} y`. At a point x with kernel values g, and
:math:`v = L^{-1} g`,

.. math:: \mu = v^\top z, \qquad \sigma^2 = G_{xx} - v^\top v;

once x is observed, L gains the row :math:`(v^\top, \sqrt{1 + \sigma^2})`. A repeated point is one
more row. No row is ever removed, so errors are those of a fresh factorisation, eps t times the
largest G.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined

_STRIP = 128  # number of points solved for at a time


@inlined
def solve_lower(factor, count, right):
    """Solve with the lower triangle (count, count) of ``factor``, in place of right (count, m)."""
    for start in range(0, right.shape[1], _STRIP):
        stop = min(start + _STRIP, right.shape[1])
        for r in range(count):
            k = 0
            while k + 7 < r:
                l0, l1, l2, l3 = factor[r, k], factor[r, k + 1], factor[r, k + 2], factor[r, k + 3]
                l4, l5 = factor[r, k + 4], factor[r, k + 5]
                l6, l7 = factor[r, k + 6], factor[r, k + 7]
                for c in range(start, stop):
                    u = np.uint64(c)  # never negative, so that the loop is vectorised
                    total = right[r, u] - l0 * right[k, u] - l1 * right[k + 1, u]
                    total = total - l2 * right[k + 2, u] - l3 * right[k + 3, u]
                    total = total - l4 * right[k + 4, u] - l5 * right[k + 5, u]
                    right[r, u] = total - l6 * right[k + 6, u] - l7 * right[k + 7, u]
                k += 8
            while k < r:
                l0 = factor[r, k]
                for c in range(start, stop):
                    u = np.uint64(c)
                    right[r, u] -= l0 * right[k, u]
                k += 1
            l0 = 1.0 / factor[r, r]
            for c in range(start, stop):
                right[r, c] *= l0


@compiled
def predict_points(factor, whitened, cross, prior, mean, variance):
    r"""Write ``mean`` and ``variance`` (m,) at m points.

    Parameters
    ----------
    factor, whitened : arrays (capacity, capacity) and (capacity,)
        L and z.
    cross : array (t, m)
        G between the points observed and the m points; becomes :math:`L^{-1} G`.
    prior : array (m,)
        The diagonal of G at the m points.
    """
    solve_lower(factor, cross.shape[0], cross)
    for c in range(cross.shape[1]):
        mean[c], variance[c] = 0.0, prior[c]
    for r in range(cross.shape[0]):
        for c in range(cross.shape[1]):
            mean[c] += whitened[r] * cross[r, c]
            variance[c] -= cross[r, c] * cross[r, c]
    for c in range(cross.shape[1]):
        variance[c] = max(variance[c], 0.0)


@compiled
def absorb_point(factor, whitened, cross, prior, y):
    r"""Learn the outcome y of one point; ``cross`` (t, 1) and the number ``prior`` as above.

    Returns the point's variance before, and the increase of
    :math:`\operatorname{tr} G (G + I)^{-1}`, the sum of the variances of all points.
    """
    count = cross.shape[0]
    solve_lower(factor, count, cross)
    residual, variance = y, prior
    for k in range(count):
        factor[count, k] = cross[k, 0]
        residual -= cross[k, 0] * whitened[k]
        variance -= cross[k, 0] * cross[k, 0]
    variance = max(variance, 0.0)
    factor[count, count] = math.sqrt(1.0 + variance)
    whitened[count] = residual / factor[count, count]
    # The trace of (G + I)^{-1} grows by (1 + |w|²) / (1 + variance), L^T w = v.
    rest = np.empty(count)
    for k in range(count):
        rest[k] = cross[k, 0]
    square = 0.0
    for back in range(count):
        r = count - 1 - back
        weight = rest[r] / factor[r, r]
        square += weight * weight
        for k in range(r):
            rest[k] -= weight * factor[r, k]
    return variance, 1.0 - (1.0 + square) / (1.0 + variance)
