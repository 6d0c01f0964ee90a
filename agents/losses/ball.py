"""Steps within a ball: the projection and the length that learners of losses share."""

import math

from banditgym.compiled import inlined

_LARGEST = 1.7976931348623157e308


@inlined
def length(rows, i):
    """The Euclidean norm of row ``i`` of ``rows`` (n, d), without overflow on the way."""
    largest = 0.0
    for j in range(rows.shape[1]):
        largest = max(largest, abs(rows[i, j]))
    if largest == 0.0:
        return 0.0
    total = 0.0
    for j in range(rows.shape[1]):
        total += (rows[i, j] / largest) ** 2
    return largest * math.sqrt(total)


@inlined
def project(points, i, radius):
    """Row ``i`` of ``points`` (n, d), brought to the nearest point of the ball of ``radius``."""
    largest = 0.0
    for j in range(points.shape[1]):
        # A step that overflowed goes to the edge, as far as its direction can still be told.
        points[i, j] = min(max(points[i, j], -_LARGEST), _LARGEST)
        largest = max(largest, abs(points[i, j]))
    if largest == 0.0:
        return
    total = 0.0
    for j in range(points.shape[1]):
        total += (points[i, j] / largest) ** 2
    # In units of the largest coordinate: neither its square nor the norm need be a float.
    norm = math.sqrt(total)
    if norm > radius / largest:
        for j in range(points.shape[1]):
            points[i, j] = radius * (points[i, j] / largest / norm)
