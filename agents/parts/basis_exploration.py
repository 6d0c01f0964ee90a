"""Common parts of agents that explore with a basis of the set, then play a best point.

Functions take a basis as ``slim`` returns it: rows (d, d), or the diagonal (1, d) if the rows lie
on the coordinate axes. An agent's ``place`` (n,) is the next row of the basis, or d and more if the
best point is next.
"""

import numpy as np

from banditgym.action_sets import PointSet
from banditgym.compiled import compiled, inlined

_SINGLE, _TINY = 1e-6, 1e-30  # rounding to single precision, and the size that it makes 0


def slim(matrix: np.ndarray) -> np.ndarray:
    """A copy of a matrix (d, d); for a diagonal matrix, its diagonal (1, d)."""
    diagonal = matrix.diagonal()
    if np.array_equal(matrix, np.diag(diagonal)):
        return diagonal[None].copy()
    return np.array(matrix, order="C")


def points_to_play(place: np.ndarray, basis: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The next points (n, d): a fresh array, or ``best`` (n, d) itself, read-only."""
    if _least(place) >= best.shape[1]:
        points = best.view()
        points.flags.writeable = False
        return points
    points = np.empty(best.shape)
    _lay_out(place, basis, best, points)
    return points


def renewed(
    best: np.ndarray, theta: np.ndarray, stale: np.ndarray, action_set: PointSet
) -> np.ndarray:
    """A new array of best points (n, d), computed anew for the replicates in stale (n,)."""
    if stale.all():
        return action_set.argmax(theta)
    best = best.copy()
    best[stale] = action_set.argmax(theta[stale])
    return best


@inlined
def comes_next(points, place, basis, best, same, i):
    """Whether the point of replicate i in points (n, d) is its next one, up to single precision.

    The point of an earlier decision, or one that somebody else played, may be another one; its
    reward is not a reward of the next point. ``same``: points and best share memory.
    """
    k, point = place[i], points[i]
    dim = point.shape[0]
    if same and k >= dim:
        return True
    # An integer count, because LLVM vectorises sums of integers.
    if k < dim and basis.shape[0] < dim:
        off = 0
        for j in range(dim):
            off += abs(point[j]) > _TINY
        own = basis[0, k]
        off -= abs(point[k]) > _TINY
        return off == 0 and abs(point[k] - own) <= _SINGLE * abs(own) + _TINY
    expected = best[i] if k >= dim else basis[k]
    off = 0
    for j in range(dim):
        off += abs(point[j] - expected[j]) > _SINGLE * abs(expected[j]) + _TINY
    return off == 0


@inlined
def solve(inverse, mean, i, theta):
    r"""Write :math:`\hat\theta_i = B^{-1} \bar y_i`, ``inverse`` slim, from ``mean`` (n, d)."""
    dim = mean.shape[1]
    if inverse.shape[0] < dim:
        for j in range(dim):
            theta[i, j] = inverse[0, j] * mean[i, j]
        return
    for j in range(dim):
        total = 0.0
        for k in range(dim):
            total += inverse[j, k] * mean[i, k]
        theta[i, j] = total


@compiled
def _least(place):
    least = place[0]
    for i in range(place.shape[0]):
        least = min(least, place[i])
    return least


@compiled
def _lay_out(place, basis, best, points):
    n, dim = points.shape
    for i in range(n):
        k = place[i]
        if k >= dim:
            for j in range(dim):
                points[i, j] = best[i, j]
        elif basis.shape[0] == dim:
            for j in range(dim):
                points[i, j] = basis[k, j]
        else:
            for j in range(dim):
                points[i, j] = 0.0
            points[i, k] = basis[0, k]
