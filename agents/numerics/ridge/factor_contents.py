"""The estimate, the Gram matrix, its determinant and one arm's numbers, from ``factor.py``."""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import log

_ONE = np.uint64(1)


@compiled
def solve(upper, moment):
    r"""The estimate :math:`\hat\theta` (n, d)."""
    theta = moment.copy()
    for i in range(upper.shape[0]):
        solve_upper(upper[i], theta[i])
    return theta


@compiled
def multiply(upper, pivots):
    """V (n, d, d)."""
    n, dim, _ = upper.shape
    gram = np.zeros(upper.shape)
    for i in range(n):
        for j in range(dim):
            for r in range(j, dim):
                row = 1.0 if r == j else upper[i, j, r]
                for c in range(r, dim):
                    column = 1.0 if c == j else upper[i, j, c]
                    gram[i, r, c] += pivots[i, 0, j] * (row * column)
        for r in range(dim):
            for c in range(r):
                gram[i, r, c] = gram[i, c, r]
    return gram


@compiled
def log_determinant(pivots, ridge):
    r""":math:`\log\det V - d \log\lambda` (n,)."""
    n, _, dim = pivots.shape
    log_det = np.zeros(n)
    for i in range(n):
        product = 1.0  # a product of ratios >= 1, so that one logarithm serves many
        for j in range(dim):
            product *= pivots[i, 0, j] / ridge
            if product > 1e150:
                log_det[i] += log(product)
                product = 1.0
        log_det[i] += log(product)
    return log_det


@inlined
def solve_upper(upper, u):
    """Solve ``U u' = u`` in place, four rows per pass, so that four sums are independent."""
    dim = u.shape[0]
    r = dim
    while r >= 4:
        s0, s1, s2, s3 = u[r - 4], u[r - 3], u[r - 2], u[r - 1]
        for c in range(r, dim):
            s0 -= upper[r - 4, c] * u[c]
            s1 -= upper[r - 3, c] * u[c]
            s2 -= upper[r - 2, c] * u[c]
            s3 -= upper[r - 1, c] * u[c]
        s2 -= upper[r - 2, r - 1] * s3
        s1 = (s1 - upper[r - 3, r - 1] * s3) - upper[r - 3, r - 2] * s2
        s0 = ((s0 - upper[r - 4, r - 1] * s3) - upper[r - 4, r - 2] * s2) - upper[r - 4, r - 3] * s1
        u[r - 4], u[r - 3], u[r - 2], u[r - 1] = s0, s1, s2, s3
        r -= 4
    while r > 0:
        r -= 1
        s0 = u[r]
        for c in range(r + 1, dim):
            s0 -= upper[r, c] * u[c]
        u[r] = s0


@inlined
def predict_one(upper, pivots, moment, x):
    """Mean and variance of one arm ``x`` (d,), which is overwritten with z."""
    dim = np.uint64(x.shape[0])
    mean, variance = 0.0, 0.0
    for j in range(dim):
        entry = x[j]
        mean += moment[j] * entry
        variance += pivots[1, j] * entry * entry
        for c in range(j + _ONE, dim):
            x[c] -= entry * upper[j, c]
    return mean, variance
