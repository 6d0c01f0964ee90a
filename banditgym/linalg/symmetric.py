r"""The eigensystem of a dense symmetric matrix, with the same bits on every CPU.

Householder reflections make the matrix tridiagonal, :math:`A = Q T Q^\top`, and QL steps with
Wilkinson's implicit shifts make T diagonal [1]_. Eigenvectors are kept as rows and rotated in whole
rows, so that the compiler's lanes are columns, which are never added to each other. It is backward
stable: the errors of eigenvalues and residuals are a few eps times the largest eigenvalue in
absolute value, for small eigenvalues too.

References
----------
.. [1] J. H. Wilkinson, C. Reinsch. Handbook for Automatic Computation II: Linear Algebra. Springer
   1971, contributions II/2 and II/4.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.ball_geometry import hypotenuse
from banditgym.linalg.product import transpose

_EPS = 2.0**-52
_TINY, _LARGE = 2.0**-960, 2.0**500
_MOST = 60  # QL steps per eigenvalue; about 1.7 are needed


@compiled
def eigensystem(matrix):
    """Eigenvalues (d,), ascending, and orthonormal eigenvectors, columns (d, d), of a matrix.

    The first of the largest components of an eigenvector, in absolute value, is positive. All
    values are NaN if the matrix has an element that is not finite.
    """
    dim = matrix.shape[0]
    values, below, vectors = np.empty(dim), np.empty(dim), np.empty((dim, dim))
    largest, finite = 0.0, True
    for r in range(dim):
        for c in range(dim):
            vectors[r, c] = matrix[r, c]
            largest = max(largest, abs(matrix[r, c]))
            finite &= math.isfinite(matrix[r, c])
    if not finite:
        for r in range(dim):
            values[r] = math.nan
            for c in range(dim):
                vectors[r, c] = math.nan
        return values, vectors
    # Squares must neither overflow nor vanish.
    scale = 1.0
    if largest > 1e100:
        scale = 2.0**-700
    elif largest < 1e-100:
        scale = 2.0**700
    if scale != 1.0:
        for r in range(dim):
            for c in range(dim):
                vectors[r, c] *= scale
    rows = _tridiagonalise(vectors, values, below)
    _diagonalise(values, below, rows)
    order = np.empty(dim, np.int64)
    for i in range(dim):
        j = i
        while j > 0 and values[order[j - 1]] > values[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    for i in range(dim):
        below[i] = values[order[i]] / scale
        best = 0
        for k in range(1, dim):
            if abs(rows[order[i], k]) > abs(rows[order[i], best]):
                best = k
        sign = -1.0 if dim > 0 and rows[order[i], best] < 0.0 else 1.0
        for k in range(dim):
            vectors[i, k] = sign * rows[order[i], k]
    return below, transpose(vectors)


@compiled
def tridiagonal_values(diagonal, below):
    """Eigenvalues (d,), ascending, of a tridiagonal matrix: O(d²).

    ``below`` (d,) has the elements below the diagonal (d,), and then a 0.
    """
    values = diagonal.copy()
    _diagonalise(values, below.copy(), np.empty((diagonal.shape[0], 0)))
    for last in range(1, values.shape[0]):
        value, j = values[last], last
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    return values


@inlined
def _tridiagonalise(matrix, diagonal, below):
    """Write T's diagonal and the elements below it; return Q's transpose. A is overwritten."""
    dim = matrix.shape[0]
    half, image = np.zeros(dim), np.empty(dim)
    for k in range(dim - 1):
        # Row k from k + 1 on becomes the vector v of the reflection I - v v^T / half.
        largest = 0.0
        for c in range(k + 1, dim):
            largest = max(largest, abs(matrix[k, c]))
        below[k] = matrix[k, k + 1]
        if k == dim - 2 or largest == 0.0:
            continue
        square = 0.0
        for c in range(k + 1, dim):
            matrix[k, c] /= largest
            square += matrix[k, c] * matrix[k, c]
        length, first = math.sqrt(square), matrix[k, k + 1]
        if first > 0.0:
            length = -length
        below[k] = largest * length
        half[k] = square - first * length
        matrix[k, k + 1] = first - length
        for c in range(k + 1, dim):
            image[c] = 0.0
        _add_rows(matrix, matrix[k], k + 1, dim, k + 1, image)
        inner = 0.0
        for c in range(k + 1, dim):
            image[c] /= half[k]
            inner += matrix[k, c] * image[c]
        inner /= 2.0 * half[k]
        for c in range(k + 1, dim):
            image[c] -= inner * matrix[k, c]
        for r in range(k + 1, dim):
            here, there = matrix[k, r], image[r]
            for column in range(k + 1, dim):
                c = np.uint64(column)  # never negative, so that the loop is vectorised
                matrix[r, c] -= here * image[c] + there * matrix[k, c]
    for k in range(dim):
        diagonal[k] = matrix[k, k]
    if dim > 0:
        below[dim - 1] = 0.0
    # Q is the product of the reflections in order: the last is nearest to the identity.
    q = np.zeros((dim, dim))
    for k in range(dim - 1, -1, -1):
        q[k, k] = 1.0
        if half[k] == 0.0:
            continue
        for c in range(k + 1, dim):
            image[c] = 0.0
        _add_rows(q, matrix[k], k + 1, dim, k + 1, image)
        for r in range(k + 1, dim):
            weight = matrix[k, r] / half[k]
            for column in range(k + 1, dim):
                c = np.uint64(column)
                q[r, c] -= weight * image[c]
    return transpose(q)


@inlined
def _add_rows(matrix, weights, first, last, start, out):
    # out += the sum of weights[r] times row r of the matrix, from first to last, in columns start
    # to last; four rows a pass.
    r = first
    while r + 3 < last:
        w0, w1, w2, w3 = weights[r], weights[r + 1], weights[r + 2], weights[r + 3]
        for column in range(start, last):
            c = np.uint64(column)
            out[c] += (w0 * matrix[r, c] + w1 * matrix[r + 1, c]) + (
                w2 * matrix[r + 2, c] + w3 * matrix[r + 3, c]
            )
        r += 4
    while r < last:
        w0 = weights[r]
        for column in range(start, last):
            c = np.uint64(column)
            out[c] += w0 * matrix[r, c]
        r += 1


@inlined
def _diagonalise(diagonal, below, rows):
    """Replace the diagonal by eigenvalues, in any order, and rows by their eigenvectors."""
    dim = diagonal.shape[0]
    cosines, sines = np.empty(dim), np.empty(dim)
    norm = 0.0
    for i in range(dim):
        norm = max(norm, abs(diagonal[i]) + abs(below[i]))
    for left in range(dim):
        for step in range(2 * _MOST):
            # The block from left to right is the first without a zero below its diagonal. If rows
            # shrink by hundreds of decades, shifts vanish on the way up, and no step has an effect:
            # then what is negligible beside the whole matrix is a zero too.
            zero = _EPS * norm if step >= _MOST else 0.0
            right = left
            while right < dim - 1:
                beside = abs(diagonal[right]) + abs(diagonal[right + 1])
                if abs(below[right]) <= max(_EPS * beside, zero):
                    break
                right += 1
            if right == left:
                break
            gap = (diagonal[left + 1] - diagonal[left]) / (2.0 * below[left])
            away = hypotenuse(gap, 1.0)
            away = gap - away if gap < 0.0 else gap + away
            g = diagonal[right] - diagonal[left] + below[left] / away
            s, c, p = 1.0, 1.0, 0.0
            stopped = left - 1
            for i in range(right - 1, left - 1, -1):
                f, b = s * below[i], c * below[i]
                length = hypotenuse(f, g)
                below[i + 1] = length
                if length < _TINY:  # it has lost digits, and the rotation must be one
                    f, g = f * _LARGE, g * _LARGE
                    length = hypotenuse(f, g)
                if length == 0.0:  # the block falls apart at i + 1
                    diagonal[i + 1] -= p
                    below[right] = 0.0
                    stopped = i
                    break
                s, c = f / length, g / length
                g = diagonal[i + 1] - p
                length = (diagonal[i] - g) * s + 2.0 * c * b
                p = s * length
                diagonal[i + 1] = g + p
                g = c * length - b
                cosines[i], sines[i] = c, s
            if stopped < left:
                diagonal[left] -= p
                below[left] = g
                below[right] = 0.0
            _turn(rows, cosines, sines, stopped + 1, right)


@inlined
def _turn(rows, cosines, sines, first, last):
    """Rotate rows i and i + 1 for i from last - 1 down to first; two rotations per pass."""
    dim = rows.shape[1]
    i = last - 1
    while i > first:
        c0, s0, c1, s1 = cosines[i], sines[i], cosines[i - 1], sines[i - 1]
        for column in range(dim):
            k = np.uint64(column)
            low, middle, high = rows[i - 1, k], rows[i, k], rows[i + 1, k]
            rows[i + 1, k] = s0 * middle + c0 * high
            middle = c0 * middle - s0 * high
            rows[i, k] = s1 * low + c1 * middle
            rows[i - 1, k] = c1 * low - s1 * middle
        i -= 2
    if i == first:
        c0, s0 = cosines[i], sines[i]
        for column in range(dim):
            k = np.uint64(column)
            low, high = rows[i, k], rows[i + 1, k]
            rows[i + 1, k] = s0 * low + c0 * high
            rows[i, k] = c0 * low - s0 * high
