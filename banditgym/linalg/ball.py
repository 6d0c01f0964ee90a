"""Lengths, and the nearest points of a ball around 0, at sizes whose squares are no floats too.

Kernels work on row ``i`` of an array (n, d), in place.
"""

import math

from banditgym.compiled import inlined

_LARGEST = 1.7976931348623157e308


@inlined
def length(rows, i):
    """Euclidean norm of a row; infinite above the largest number."""
    square, largest = 0.0, 0.0
    for j in range(rows.shape[1]):
        square += rows[i, j] * rows[i, j]
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
def stretch(points, i, radius):
    """Bring a row to the length ``radius``; a row 0 stays."""
    given = length(points, i)
    if given == 0.0:
        return
    # Lengths beyond the largest number, or with few digits left, are brought to the middle.
    scale = 1.0
    if given > 1e300:
        scale = 2.0**-600
    elif given < 1e-300:
        scale = 2.0**600
    for j in range(points.shape[1]):
        # A coordinate that overflowed keeps its direction, as far as that can still be told.
        points[i, j] = min(max(points[i, j], -_LARGEST), _LARGEST) * scale
    given = length(points, i)
    for j in range(points.shape[1]):
        points[i, j] = radius * (points[i, j] / given)


@inlined
def project(points, i, radius):
    """Bring a row to the nearest point of the ball of ``radius``.

    Points of the ball stay what they are bit for bit, and so do projections.
    """
    # What rounding may add to the length of a point on the sphere, or takes part in computing.
    slack = (points.shape[1] + 4) * 2.0**-52
    if length(points, i) > radius * (1.0 + slack):
        stretch(points, i, radius)
