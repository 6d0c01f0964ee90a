"""The estimate, the Gram matrix and its determinant, from the factor of ``factor.py``."""

import numpy as np

from agents.numerics.ridge.factor import solve_upper
from banditgym.compiled import compiled
from banditgym.elementary import log


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
