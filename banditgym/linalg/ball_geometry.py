"""Lengths, and nearest points of a ball around 0, even for sizes whose squares overflow.

Kernels work on row ``i`` of an array (n, d), in place.

Sums over d have one order for all n and all processors. Partial sum k, of eight, takes the terms k,
k + 8, k + 16, .. of the whole eights in turn; the remaining terms, at most seven, are added in turn
to a ninth sum. The total is ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)), as halves of a register are
added, plus the ninth. In one running sum every addition would wait for the one before, and it could
not be vectorised, because that changes its order.
"""

import math

import numpy as np

from banditgym.compiled import inlined

_LARGEST = 1.7976931348623157e308
_1, _2, _3, _4, _5, _6, _7 = (np.uint64(k) for k in range(1, 8))


@inlined
def inner(x, y, i):
    """The inner product of row ``i`` of x and of y (n, d), in the order that the module states."""
    dim = x.shape[1]
    row, other = x[i], y[i]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = rest = 0.0
    # Unsigned indices are not wrapped around, so that eight numbers are loaded at once.
    for eight in range(dim // 8):
        j = np.uint64(8 * eight)
        s0 += row[j] * other[j]
        s1 += row[j + _1] * other[j + _1]
        s2 += row[j + _2] * other[j + _2]
        s3 += row[j + _3] * other[j + _3]
        s4 += row[j + _4] * other[j + _4]
        s5 += row[j + _5] * other[j + _5]
        s6 += row[j + _6] * other[j + _6]
        s7 += row[j + _7] * other[j + _7]
    for j in range(dim - dim % 8, dim):
        rest += row[j] * other[j]
    return (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))) + rest


@inlined
def length(rows, i):
    """Euclidean norm of a row; infinite above the largest number."""
    square, largest = inner(rows, rows, i), 0.0
    if 1e-280 < square < math.inf:
        return math.sqrt(square)
    for j in range(rows.shape[1]):
        largest = max(largest, abs(rows[i, j]))
    if largest == 0.0 or largest == math.inf:
        return largest
    square = 0.0
    for j in range(rows.shape[1]):
        square += (rows[i, j] / largest) * (rows[i, j] / largest)
    return largest * math.sqrt(square)


@inlined
def hypotenuse(a, b):
    """The root of a² + b², without overflow."""
    square = a * a + b * b
    if 1e-280 < square < math.inf:
        return math.sqrt(square)
    longer, shorter = max(abs(a), abs(b)), min(abs(a), abs(b))
    if longer == 0.0 or longer == math.inf:
        return longer
    return longer * math.sqrt(1.0 + (shorter / longer) * (shorter / longer))


@inlined
def stretch(points, i, radius):
    """Scale a row to the length ``radius``; a row 0 stays 0."""
    given = length(points, i)
    if given == 0.0:
        return
    # Rows whose lengths overflow, or have few digits left, are scaled first.
    if not 1e-300 <= given <= 1e300:
        scale = 2.0**600 if given < 1.0 else 2.0**-600
        for j in range(points.shape[1]):
            # A coordinate that overflowed keeps its direction, as far as that is still known.
            points[i, j] = min(max(points[i, j], -_LARGEST), _LARGEST) * scale
        given = length(points, i)
    for j in range(points.shape[1]):
        points[i, j] = radius * (points[i, j] / given)


@inlined
def project(points, i, radius):
    """Replace a row by the nearest point of the ball of ``radius``.

    Points of the ball, projections included, do not change in any bit.
    """
    # The largest rounding error in the length of a point on the sphere, and in computing it.
    slack = (points.shape[1] + 4) * 2.0**-52
    if length(points, i) > radius * (1.0 + slack):
        stretch(points, i, radius)
