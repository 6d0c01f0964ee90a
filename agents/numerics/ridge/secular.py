r"""The eigendecomposition of a diagonal matrix plus one outer product.

With :math:`d_1 > d_2 > \dots \ge 0` and no :math:`z_j = 0`, the eigenvalues of
:math:`D + z z^\top` are the roots of the secular equation

.. math:: g(\mu) = 1 + \sum_j \frac{z_j^2}{d_j - \mu} = 0, \qquad
    d_1 < \mu_1 \le d_1 + \lVert z\rVert^2, \quad d_i < \mu_i < d_{i-1},

and eigenvectors have entries proportional to :math:`z_j / (d_j - \mu_i)`. A root is found as its
distance from the nearest pole; g times this distance is convex towards the pole, so Newton's
iteration from the other end descends to the root monotonically. The vectors are those of the z that
has the computed roots exactly (Gu and Eisenstat): they are orthogonal to a few eps, however close
the roots are.

Where :math:`d_j = d_{j+1}`, a rotation makes one entry of z 0; an eigenpair whose entry is 0 does
not change. The cost is :math:`O(k^2)` for k entries; a dense eigendecomposition costs
:math:`O(k^3)`.

References
----------
G. Golub. Some Modified Matrix Eigenvalue Problems. SIAM Review 15, 1973. M. Gu, S. Eisenstat. A
Stable and Efficient Algorithm for the Rank-One Modification of the Symmetric Eigenproblem. SIAM
Journal on Matrix Analysis and Applications 15, 1994.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.ball_geometry import hypotenuse

_EPS = 2.0**-52
_TINY = 2.0**-900  # a square below which quotients might underflow
_MOST = 100  # bound on iterations; the largest number found was 26, the mean 6


@compiled
def decompose(values, z, roots, vectors):
    r"""Write eigenvalues (k,), descending, and eigenvectors, one per row of the first (k, k).

    ``values`` (k,) is the diagonal, descending and >= 0; ``z`` (k,) is overwritten. Entries with
    :math:`z_j^2 \le \mathrm{eps}^2 d_j` count as 0, a relative change of eps in the matrix.
    """
    k = values.shape[0]
    cosine, sine = np.ones(k), np.zeros(k)  # of the rotation that made entry j 0
    partner = np.empty(k, np.int64)
    kept, count = np.empty(k, np.int64), 0
    for j in range(k):
        partner[j] = -1
        if z[j] * z[j] <= max(_EPS * _EPS * values[j], _TINY):
            continue
        if count > 0 and values[kept[count - 1]] == values[j]:
            other = kept[count - 1]
            length = hypotenuse(z[other], z[j])
            cosine[j], sine[j], partner[j] = z[other] / length, z[j] / length, other
            z[other], z[j] = length, 0.0
            continue
        kept[count] = j
        count += 1
    shifted = np.empty((count, count))  # row i: root i minus each of the kept values
    _roots(values, z, kept[:count], shifted)
    found = np.empty(k)
    for i in range(k):
        found[i] = values[i]
        for j in range(k):
            vectors[i, j] = 0.0
        vectors[i, i] = 1.0
    for i in range(count):
        found[kept[i]] = values[kept[i]] + shifted[i, i]
    if count > 1:
        _write_vectors(values, z, kept[:count], shifted, vectors)
    for j in range(k - 1, -1, -1):
        if partner[j] >= 0:
            for i in range(k):
                one, other = vectors[i, partner[j]], vectors[i, j]
                vectors[i, partner[j]] = cosine[j] * one - sine[j] * other
                vectors[i, j] = sine[j] * one + cosine[j] * other
    _sort(found, roots, vectors)


@inlined
def _roots(values, z, kept, shifted):
    """Row i of ``shifted`` (p, p): root i minus the values kept, each to full relative accuracy."""
    count = kept.shape[0]
    total = 0.0
    for j in range(count):
        total += z[kept[j]] * z[kept[j]]
    delta = np.empty(count)
    for i in range(count):
        origin, side, far = i, 1.0, total
        if i > 0:
            gap = values[kept[i - 1]] - values[kept[i]]
            far = 0.5 * gap
            g = 1.0
            for j in range(count):
                g += z[kept[j]] * z[kept[j]] / ((values[kept[j]] - values[kept[i]]) - far)
            if g < 0.0:
                origin, side = i - 1, -1.0
        for j in range(count):
            delta[j] = values[kept[j]] - values[kept[origin]]
        distance = _distance(z, kept, delta, origin, side, far)
        for j in range(count):
            shifted[i, j] = side * distance - delta[j]


@inlined
def _distance(z, kept, delta, origin, side, far):
    """The distance of the root from the pole ``origin``, on that side and at most ``far``."""
    near, at, square = 0.0, far, z[kept[origin]] * z[kept[origin]]
    for _ in range(_MOST):
        # h = side * distance * g: -square at the pole, convex, increasing through the root.
        g, slope, terms = 1.0, 1.0, 1.0
        for j in range(kept.shape[0]):
            if j != origin:
                inverse = 1.0 / (delta[j] - side * at)
                part = z[kept[j]] * z[kept[j]] * inverse
                g += part
                slope += part * delta[j] * inverse
                terms += abs(part)
        h, slope = side * at * g - square, side * slope
        if abs(h) <= (2 + kept.shape[0]) * _EPS * (at * terms + square):  # all rounding
            break
        if h > 0.0:
            # The root of the secant is smaller, and loses no digits where it is far away.
            near, far = max(near, at * (square / (h + square))), at
        else:
            near = at
        following = at - h / slope
        if following < near:
            following = near
        elif not following <= far:  # from below, where the slope may be useless
            following = 0.5 * (near + far)
        if following == at:
            break
        at = following
    return at


@inlined
def _write_vectors(values, z, kept, shifted, vectors):
    count = kept.shape[0]
    for j in range(count):
        square = shifted[j, j]
        for i in range(count):
            if i != j:
                square *= shifted[i, j] / (values[kept[i]] - values[kept[j]])
        z[kept[j]] = math.copysign(math.sqrt(square), z[kept[j]])
    for i in range(count):
        length = 0.0
        for j in range(count):
            entry = z[kept[j]] / shifted[i, j]
            vectors[kept[i], kept[j]] = entry
            length += entry * entry
        length = math.sqrt(length)
        for j in range(count):
            vectors[kept[i], kept[j]] /= length


@inlined
def _sort(found, roots, vectors):
    """Sort roots in descending order, with their vectors; cheap if they are nearly sorted."""
    k = found.shape[0]
    for i in range(k):
        roots[i] = found[i]
    for i in range(1, k):
        j = i
        while j > 0 and roots[j] > roots[j - 1]:
            roots[j], roots[j - 1] = roots[j - 1], roots[j]
            for c in range(k):
                vectors[j, c], vectors[j - 1, c] = vectors[j - 1, c], vectors[j, c]
            j -= 1
