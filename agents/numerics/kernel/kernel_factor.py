r"""Posterior of a function at points that change, under a kernel: a factor that gains rows.

With the scaled kernel :math:`G = K / \lambda` of the t points observed, the Cholesky factor L of
:math:`G + I` is kept, and :math:`z = L^{-1} y`. At a point x with kernel values g, and
:math:`v = L^{-1} g`,

.. math:: \mu = v^\top z, \qquad \sigma^2 = G_{xx} - v^\top v;

once x is observed, L gains the row :math:`(v^\top, \sqrt{1 + \sigma^2})`. A repeated point is one
more row. No row is ever removed, so errors are those of a fresh factorisation, eps t times the
largest G.

On features :math:`z(x)` the same is done with L, the factor of :math:`A = I + \sum_s z_s z_s^\top`,
which gains an outer product.
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


@inlined
def solve_upper(factor, right):
    """Solve with that triangle's transpose in place, for right (m,); return the squared norm."""
    square = 0.0
    for back in range(right.shape[0]):
        r = right.shape[0] - 1 - back
        right[r] /= factor[r, r]
        square += right[r] * right[r]
        for k in range(r):
            right[k] -= right[r] * factor[r, k]
    return square


@compiled
def predict_points(factor, whitened, cross, start, sign, mean, variance):
    r"""Write ``mean`` :math:`v^\top z` and ``variance`` at m points, both (m,).

    Parameters
    ----------
    factor, whitened : arrays (capacity, capacity) and (capacity,)
        L and z.
    cross : array (t, m)
        G between the points observed and the m points; becomes :math:`v = L^{-1} G`.
    start, sign : array (m,) and float
        The variance is ``start`` and ``sign`` times :math:`v^\top v`, and at least 0: here the
        diagonal of G at the m points and -1; for features 1, and what they do not explain.
    """
    solve_lower(factor, cross.shape[0], cross)
    for c in range(cross.shape[1]):
        mean[c], variance[c] = 0.0, start[c]
    for r in range(cross.shape[0]):
        for c in range(cross.shape[1]):
            mean[c] += whitened[r] * cross[r, c]
            variance[c] += sign * (cross[r, c] * cross[r, c])
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
    square = solve_upper(factor, rest)
    return variance, 1.0 - (1.0 + square) / (1.0 + variance)


@compiled
def absorb_features(factor, moment, whitened, z, y):
    """Learn y at a point of features z (D,): A = L L^T gains z z^T.

    ``moment`` (D,) is the sum of z y, and ``whitened`` L^-1 times it. Returns by how much the trace
    of I - A^-1, the sum of the variances of all pulls, has grown.
    """
    size = len(z)
    solved, rest = np.empty((size, 1)), np.empty(size)
    for k in range(size):
        solved[k, 0] = z[k]
    solve_lower(factor, size, solved)
    variance = 0.0
    for k in range(size):
        variance += solved[k, 0] * solved[k, 0]
        rest[k] = solved[k, 0]
    square = solve_upper(factor, rest)  # of A^-1 z
    for k in range(size):
        moment[k] += z[k] * y
        rest[k] = z[k]
    for k in range(size):  # the factor of L L^T + z z^T, column by column
        diagonal = math.sqrt(factor[k, k] * factor[k, k] + rest[k] * rest[k])
        cosine, sine = diagonal / factor[k, k], rest[k] / factor[k, k]
        factor[k, k] = diagonal
        for j in range(k + 1, size):
            factor[j, k] = (factor[j, k] + sine * rest[j]) / cosine
            rest[j] = cosine * rest[j] - sine * factor[j, k]
    for k in range(size):
        solved[k, 0] = moment[k]
    solve_lower(factor, size, solved)
    for k in range(size):
        whitened[k] = solved[k, 0]
    return square / (1.0 + variance)


@compiled
def draw_features(factor, whitened, scale, theta):
    """Turn normals (n, D) into L^-T (whitened + scale normals)."""
    n, size = theta.shape
    for i in range(n):
        for k in range(size):
            theta[i, k] = whitened[i, k] + scale[i] * theta[i, k]
        solve_upper(factor[i], theta[i])
