r"""Dense systems and inverses by Gaussian elimination with partial pivoting.

It works in blocks of columns; ``product.add_product`` updates the rows below a block. Errors are
those of LAPACK: about d eps times the condition number, except for matrices constructed to defeat
pivoting.
"""

import numpy as np

from banditgym.compiled import compiled
from banditgym.linalg.definite import solve_upper
from banditgym.linalg.product import add_product

_BLOCK = 32
_COLUMNS = 256


@compiled
def solve(matrix, right):
    """X with A X = B, (d, m), for a matrix A (d, d) and B (d, m); NaN throughout if A is singular.

    A matrix is singular if elimination leaves a column of zeros, or of values that are not finite.
    """
    factor, out = matrix.copy(), right.copy()
    if _eliminate(factor, out):
        solve_upper(factor, out)
    else:
        out[:] = np.nan
    return out


@compiled
def inverse(matrix):
    """The inverse of a matrix (d, d); NaN throughout if it is singular, as in ``solve``."""
    dim = matrix.shape[0]
    identity = np.zeros((dim, dim))
    for k in range(dim):
        identity[k, k] = 1.0
    return solve(matrix, identity)


@compiled
def _eliminate(factor, right):
    """Replace A by U above L, and B by the solution of L Y = P B; returns whether A is regular."""
    dim, width = right.shape
    weights = np.empty((dim, _BLOCK))
    for top in range(0, dim, _BLOCK):
        bottom = min(top + _BLOCK, dim)
        for k in range(top, bottom):
            pivot = k
            for r in range(k + 1, dim):
                if abs(factor[r, k]) > abs(factor[pivot, k]):
                    pivot = r
            if not 0.0 < abs(factor[pivot, k]) < np.inf:
                return False
            if pivot != k:
                for c in range(dim):
                    factor[k, c], factor[pivot, c] = factor[pivot, c], factor[k, c]
                for c in range(width):
                    right[k, c], right[pivot, c] = right[pivot, c], right[k, c]
            for r in range(k + 1, dim):
                factor[r, k] /= factor[k, k]
                weight = factor[r, k]
                for c in range(k + 1, bottom):
                    factor[r, c] -= weight * factor[k, c]
        # The block's own rows to its right, then all rows below.
        _forward(factor, top, bottom, factor, bottom, dim)
        _forward(factor, top, bottom, right, 0, width)
        for r in range(bottom, dim):
            for k in range(top, bottom):
                weights[r - bottom, k - top] = -factor[r, k]
        rows, depth = dim - bottom, bottom - top
        add_product(weights, rows, depth, factor[top:], factor[bottom:], bottom, dim, False)
        add_product(weights, rows, depth, right[top:], right[bottom:], 0, width, False)
    return True


@compiled
def _forward(factor, top, bottom, right, start, stop):
    for left in range(start, stop, _COLUMNS):
        end = min(left + _COLUMNS, stop)
        for r in range(top + 1, bottom):
            for k in range(top, r):
                weight = factor[r, k]
                for c in range(left, end):
                    u = np.uint64(c)  # never negative, so that the loop is vectorised
                    right[r, u] -= weight * right[k, u]
