r"""Householder's factorisation X = Q R of a dense matrix, R with a diagonal >= 0, and the rank.

Reflections :math:`I - v v^\top / h` are computed in blocks of columns, and a block is applied as
:math:`I - V S V^\top` [1]_, with S triangular, by ``product.add_product``, which takes most of the
time. It is backward stable: the error of column j of Q R is about min(m, n) eps times its length,
and Q is orthonormal to the same accuracy.

References
----------
.. [1] R. Schreiber, C. Van Loan. A Storage-Efficient WY Representation for Products of Householder
   Transformations. SIAM J. Sci. Stat. Comput. 10, 1989.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.product import add_product, transpose

_BLOCK = 32
_EPS = 2.0**-52


@compiled
def triangle(matrix):
    """The factor R (min(m, d), d), upper trapezoidal, of a finite matrix X (m, d): X^T X = R^T R.

    Its diagonal is >= 0, which makes R unique if X has full rank.
    """
    work, scale = _scaled(matrix)
    flip = np.ones(min(work.shape))
    _factor(work, flip, np.empty((0, 0)), np.empty((0, 0)))
    return _upper(work, flip, scale)


@compiled
def orthonormal(matrix):
    """Q (m, min(m, d)) with orthonormal columns and R of ``triangle``, X = Q R for X (m, d)."""
    work, scale = _scaled(matrix)
    n_rows, size = work.shape[0], min(work.shape)
    flip = np.ones(size)
    reflections, inner = np.zeros((size, n_rows)), np.zeros((size, _BLOCK))
    _factor(work, flip, reflections, inner)
    q = np.zeros((n_rows, size))
    for k in range(size):
        q[k, k] = flip[k]
    for back in range((size - 1) // _BLOCK, -1, -1):
        left = back * _BLOCK
        right = min(left + _BLOCK, size)
        # The first block is applied last: columns before a block are still those of the identity.
        _apply(reflections[left:right], inner[left:right], left, q, left, False)
    return q, _upper(work, flip, scale)


@inlined
def _scaled(matrix):
    # A copy whose squares neither overflow nor vanish, and the factor by which it was scaled.
    n_rows, n_columns = matrix.shape
    work, largest, scale = np.empty((n_rows, n_columns)), 0.0, 1.0
    for r in range(n_rows):
        for c in range(n_columns):
            largest = max(largest, abs(matrix[r, c]))
    if largest > 1e100:
        scale = 2.0**-600
    elif 0.0 < largest < 1e-100:
        scale = 2.0**600
    for r in range(n_rows):
        for c in range(n_columns):
            work[r, c] = scale * matrix[r, c]
    return work, scale


@inlined
def _upper(work, flip, scale):
    size, n_columns = min(work.shape), work.shape[1]
    upper = np.zeros((size, n_columns))
    for r in range(size):
        for c in range(r, n_columns):
            upper[r, c] = flip[r] * work[r, c] / scale
    return upper


@inlined
def _reflect(work, k, column, v):
    """Write v (m,), from row k on, of the reflection that takes a column to a multiple of e_k.

    Returns h, 0 where the column needs none, and the multiple.
    """
    n_rows, largest = work.shape[0], 0.0
    for r in range(k + 1, n_rows):
        largest = max(largest, abs(work[r, column]))
    if largest == 0.0:
        return 0.0, work[k, column]
    largest = max(largest, abs(work[k, column]))
    square = 0.0
    for r in range(k, n_rows):
        v[r] = work[r, column] / largest
        square += v[r] * v[r]
    length = math.sqrt(square)
    if v[k] > 0.0:
        length = -length
    half = square - v[k] * length
    v[k] -= length
    return half, largest * length


@compiled
def _factor(work, flip, reflections, inner):
    """Write R, except for the signs ``flip`` of its rows, to the upper part of ``work``.

    ``reflections`` (size, m) and ``inner`` (size, block), zeros at first, receive v and the row of
    S of each reflection; they may be empty.
    """
    n_rows, n_columns = work.shape
    size = min(n_rows, n_columns)
    v, image = np.zeros(n_rows), np.empty(_BLOCK)
    for left in range(0, size, _BLOCK):
        right = min(left + _BLOCK, size)
        block, s = np.zeros((right - left, n_rows)), np.zeros((right - left, _BLOCK))
        for k in range(left, right):
            half, corner = _reflect(work, k, k, v)
            j = k - left
            if half > 0.0:
                _fold(work, v, half, k, k, right, image)
                for r in range(k, n_rows):
                    block[j, r] = v[r]
                # Row and column j of S: -S V^T v / h, and 1 / h.
                s[j, j] = 1.0 / half
                for i in range(j):
                    total = 0.0
                    for r in range(k, n_rows):
                        total += block[i, r] * v[r]
                    image[i] = total / half
                for i in range(j):
                    total = 0.0
                    for q in range(i, j):
                        total += s[i, q] * image[q]
                    s[i, j] = -total
            work[k, k] = corner
            for r in range(k + 1, n_rows):
                work[r, k] = 0.0
            flip[k] = -1.0 if corner < 0.0 else 1.0
        _apply(block, s, left, work, right, True)
        if reflections.size > 0:
            for j in range(right - left):
                for r in range(n_rows):
                    reflections[left + j, r] = block[j, r]
                for i in range(_BLOCK):
                    inner[left + j, i] = s[j, i]


@inlined
def _fold(work, v, half, k, start, stop, image):
    # One reflection of the columns start to stop, 32 at most.
    n_rows = work.shape[0]
    for c in range(stop - start):
        image[c] = 0.0
    for r in range(k, n_rows):
        weight = v[r]
        for c in range(stop - start):
            image[c] += weight * work[r, start + c]
    for c in range(stop - start):
        image[c] /= half
    for r in range(k, n_rows):
        weight = v[r]
        for c in range(stop - start):
            work[r, start + c] -= weight * image[c]


@compiled
def _apply(block, s, top, work, start, transposed):
    """Apply I - V S V^T, or its transpose, to rows ``top`` on of ``work``, columns ``start`` on.

    ``block`` (b, m) is V^T, which is 0 before ``top``.
    """
    n_rows, n_columns = work.shape
    size = block.shape[0]
    if start >= n_columns:
        return
    weights = np.empty((size, n_rows - top))
    for j in range(size):
        for r in range(top, n_rows):
            weights[j, r - top] = block[j, r]
    image, turned = np.zeros((size, n_columns)), np.zeros((size, n_columns))
    add_product(weights, size, n_rows - top, work[top:], image, start, n_columns, False)
    small = np.zeros((size, size))
    for i in range(size):
        for j in range(i, size):
            if transposed:
                small[j, i] = s[i, j]
            else:
                small[i, j] = s[i, j]
    add_product(small, size, size, image, turned, start, n_columns, False)
    across = transpose(weights)
    for r in range(n_rows - top):
        for j in range(size):
            across[r, j] = -across[r, j]
    add_product(across, n_rows - top, size, turned, work[top:], start, n_columns, False)


@compiled
def rank(matrix):
    r"""How many columns of a finite matrix (m, d) are linearly independent, up to rounding.

    Reflections take the longest remaining column first, until none is longer than max(m, d) eps
    times the longest column of X: the tolerance of ``numpy.linalg.matrix_rank``.
    """
    work, _ = _scaled(matrix)
    n_rows, n_columns = work.shape
    v, image, squares = np.zeros(n_rows), np.empty(n_columns), np.empty(n_columns)
    first = 0.0
    for k in range(min(n_rows, n_columns)):
        for c in range(k, n_columns):
            squares[c] = 0.0
        for r in range(k, n_rows):
            for c in range(k, n_columns):
                squares[c] += work[r, c] * work[r, c]
        best = k
        for c in range(k + 1, n_columns):
            if squares[c] > squares[best]:
                best = c
        longest = math.sqrt(squares[best])
        if k == 0:
            first = longest
        if not longest > max(n_rows, n_columns) * _EPS * first:
            return k
        if best != k:
            for r in range(n_rows):
                work[r, k], work[r, best] = work[r, best], work[r, k]
        half, _ = _reflect(work, k, k, v)
        if half > 0.0:
            _fold(work, v, half, k, k + 1, n_columns, image)
    return min(n_rows, n_columns)
