r"""Products of matrices, each element summed in one order on every CPU.

Columns are lanes of a register and are never added to each other, so an element does not depend on
the width of registers. It is summed over j in groups of four, each group as
:math:`(p_0 + p_1) + (p_2 + p_3)` with :math:`p_j = a_{rj} b_{jc}`; the groups, and then the
remaining terms, are added from the first on. It depends only on row r of the first and column c of
the second matrix.

With four rows by four terms per pass this is about as fast as a BLAS without fused multiply and
add. Only ``combine_rows`` adds one term after the other.
"""

import numpy as np

from banditgym.compiled import borrowing, compiled, inlined

_COLUMNS = 256  # columns of a strip: its rows stay in the second-level cache
_DEPTH = 64


@compiled
def product(left, right):
    """The product (m, k) of C-contiguous matrices (m, d) and (d, k)."""
    out = np.zeros((left.shape[0], right.shape[1]))
    add_product(left, left.shape[0], left.shape[1], right, out, 0, right.shape[1], False)
    return out


@compiled
def gram(rows):
    r"""The matrix :math:`X^\top X` (d, d) of rows X (m, d), symmetric to the last bit."""
    dim = rows.shape[1]
    out = np.zeros((dim, dim))
    columns = transpose(rows)
    add_product(columns, dim, rows.shape[0], rows, out, 0, dim, True)
    for r in range(dim):
        for c in range(r):
            out[r, c] = out[c, r]
    return out


@compiled
def transpose(matrix):
    """The transpose as a C-contiguous matrix, blocks of 16 by 16 at a time."""
    n_rows, n_columns = matrix.shape
    out = np.empty((n_columns, n_rows))
    for top in range(0, n_rows, 16):
        for left in range(0, n_columns, 16):
            for c in range(left, min(left + 16, n_columns)):
                for r in range(top, min(top + 16, n_rows)):
                    out[c, r] = matrix[r, c]
    return out


@compiled
def add_product(weights, n_rows, depth, rows, out, start, stop, triangular):
    """Add the product of ``weights[:n_rows, :depth]`` and ``rows[:depth]`` to ``out[:n_rows]``, in
    the columns ``start`` to ``stop``.

    The rows read may lie in one array with those written. ``triangular``: only the
    columns from ``start`` + j on are needed in row j; up to three before them may be written too.
    """
    for left in range(start, stop, _COLUMNS):
        right = min(left + _COLUMNS, stop)
        for low in range(0, depth, _DEPTH):
            high = min(low + _DEPTH, depth)
            j = 0
            while j + 3 < n_rows:
                begin = max(left, start + j) if triangular else left
                if begin >= right:
                    break
                k = low
                while k + 3 < high:
                    a0, a1 = weights[j, k], weights[j, k + 1]
                    a2, a3 = weights[j, k + 2], weights[j, k + 3]
                    b0, b1 = weights[j + 1, k], weights[j + 1, k + 1]
                    b2, b3 = weights[j + 1, k + 2], weights[j + 1, k + 3]
                    c0, c1 = weights[j + 2, k], weights[j + 2, k + 1]
                    c2, c3 = weights[j + 2, k + 2], weights[j + 2, k + 3]
                    d0, d1 = weights[j + 3, k], weights[j + 3, k + 1]
                    d2, d3 = weights[j + 3, k + 2], weights[j + 3, k + 3]
                    for column in range(begin, right):
                        u = np.uint64(column)  # never negative: so that the loop is vectorised
                        x0, x1, x2, x3 = rows[k, u], rows[k + 1, u], rows[k + 2, u], rows[k + 3, u]
                        out[j, u] += (a0 * x0 + a1 * x1) + (a2 * x2 + a3 * x3)
                        out[j + 1, u] += (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3)
                        out[j + 2, u] += (c0 * x0 + c1 * x1) + (c2 * x2 + c3 * x3)
                        out[j + 3, u] += (d0 * x0 + d1 * x1) + (d2 * x2 + d3 * x3)
                    k += 4
                while k < high:
                    a0, b0 = weights[j, k], weights[j + 1, k]
                    c0, d0 = weights[j + 2, k], weights[j + 3, k]
                    for column in range(begin, right):
                        u = np.uint64(column)
                        x0 = rows[k, u]
                        out[j, u] += a0 * x0
                        out[j + 1, u] += b0 * x0
                        out[j + 2, u] += c0 * x0
                        out[j + 3, u] += d0 * x0
                    k += 1
                j += 4
            while j < n_rows:  # one row in the same order
                begin = max(left, start + j) if triangular else left
                k = low
                while k + 3 < high:
                    a0, a1 = weights[j, k], weights[j, k + 1]
                    a2, a3 = weights[j, k + 2], weights[j, k + 3]
                    for column in range(begin, right):
                        u = np.uint64(column)
                        x0, x1, x2, x3 = rows[k, u], rows[k + 1, u], rows[k + 2, u], rows[k + 3, u]
                        out[j, u] += (a0 * x0 + a1 * x1) + (a2 * x2 + a3 * x3)
                    k += 4
                while k < high:
                    a0 = weights[j, k]
                    for column in range(begin, right):
                        u = np.uint64(column)
                        out[j, u] += a0 * rows[k, u]
                    k += 1
                j += 1


@inlined
def row_product(weights, rows, out):
    """Write ``weights @ rows`` (K,) of weights (d,) and the first d of rows (.., K)."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    add_row_product(weights, rows, out)


@inlined
def add_row_product(weights, rows, out):
    """As ``row_product``, added to what ``out`` (K,) is."""
    depth = weights.shape[0]
    whole = depth // 4 * 4
    for j in range(0, whole, 4):
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for k in range(out.shape[0]):
            out[k] += (w0 * rows[j, k] + w1 * rows[j + 1, k]) + (
                w2 * rows[j + 2, k] + w3 * rows[j + 3, k]
            )
    for j in range(whole, depth):
        w0 = weights[j]
        for k in range(out.shape[0]):
            out[k] += w0 * rows[j, k]


@borrowing
def combine_rows(weights, rows, out):
    r"""Write :math:`\sum_j w_j x_j` of rows (d, k) as ``out`` (k,), added in the rows' order."""
    dim = weights.shape[0]
    whole = dim // 4 * 4
    for k in range(out.shape[0]):
        out[k] = 0.0
    for j in range(0, whole, 4):  # four terms for each load and store of a sum
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for k in range(out.shape[0]):
            first = (out[k] + w0 * rows[j, k]) + w1 * rows[j + 1, k]
            out[k] = (first + w2 * rows[j + 2, k]) + w3 * rows[j + 3, k]
    for j in range(whole, dim):
        weight = weights[j]
        for k in range(out.shape[0]):
            out[k] += weight * rows[j, k]
