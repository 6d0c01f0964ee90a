r"""Ridge regression by one triangular factor, updated by rotations without square roots.

.. math:: V = \lambda I + \sum_s x_s x_s^\top = U^\top D U, \qquad g = U \hat\theta,

where U is upper triangular with ones on its diagonal, and D diagonal with :math:`D_j \ge \lambda`.
With :math:`z = U^{-\top} x` the mean and the variance of an arm x are

.. math:: x^\top\hat\theta = \sum_j z_j g_j, \qquad x^\top V^{-1} x = \sum_j z_j^2 / D_j,

both from one forward substitution. A sample x with reward y is rotated into the rows of U, one
after the other. Its weight w is 1 at first, and the rotation with row j is

.. math:: \delta = D_j + w x_j^2, \quad (\text{keep}, \text{step}) = (D_j, w x_j) / \delta, \quad
    U_j \leftarrow \text{keep}\, U_j + \text{step}\, x, \quad x \leftarrow x - x_j U_j, \quad
    w \leftarrow \text{keep}\, w, \quad D_j \leftarrow \delta,

with old values on the right; :math:`(g_j, y)` is one more column of :math:`(U_j, x)`. These are
Givens rotations, and equally stable; neither V nor its inverse is ever formed. If keep > 1/2 the
new row is computed as :math:`U_j + \text{step}\, (x - x_j U_j)`, which changes no bit where x
agrees with it; for smaller keep this difference would cancel. At the end
:math:`1/w = 1 + x^\top V^{-1} x` for the old V, and :math:`V^{-1} x` for the new V is the solution
of :math:`U u = \text{step}`.

A sample costs :math:`O(d^2)`, predictions of K arms :math:`O(K d^2)`. Features are stored
(n, d, K), so that the inner loops of a prediction run over the arms, and those of a sample along
the rows of U. The part of U below the diagonal is not read.

References
----------
W. M. Gentleman. Least Squares Computations by Givens Transformations Without Square Roots.
Journal of the Institute of Mathematics and its Applications 1973.
"""

import math

import numpy as np

from agents.inputs.feature_limits import cause, first_refused, longest_square
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.streams import REGISTER

LEFT_LOOKING_FROM = 24  # dimension from which the second form of the substitution is faster
_ONE = np.uint64(1)


def initial(n: int, dim: int, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U (n, d, d), D beside 1 / D (n, 2, d), and g (n, d), before any data."""
    pivots = np.tile([[ridge], [1.0 / ridge]], (n, 1, dim))
    return np.tile(np.eye(dim), (n, 1, 1)), pivots, np.zeros((n, dim))


@compiled
def absorb(upper, pivots, moment, ridge, features, arms, reward, observed):
    """Learn the rewards (n,) of the arms (n,) of the features (n, d, K) where observed (n,).

    Returns what ``first_refused`` does, before anything is written.
    """
    bad = first_refused(features, arms, observed, longest_square(ridge))
    if bad != -1:
        return bad
    dim = features.shape[1]
    scratch, factor = (np.empty(dim), np.empty(dim)), (upper, pivots, moment)
    for i in range(arms.shape[0]):
        if observed[i]:
            absorb_replicate(factor, features, i, arms[i], reward[i], scratch)
    return -1


@borrowing
def absorb_replicate(factor, features, i, arm, reward, scratch):
    """Replicate i learns a reward; its features are in range. Overwrites scratch, two of (d,)."""
    upper, pivots, moment = factor
    x, steps = scratch
    for j in range(x.shape[0]):
        x[j] = features[i, j, arm]
    rotate(upper[i], pivots[i], moment[i], x, reward, 1.0, steps)


@borrowing
def absorb_checked(factor, ridge, features, i, arm, reward, scratch):
    """:func:`absorb_replicate` unless the features are refused; returns whether it was."""
    square = 0.0
    for j in range(features.shape[1]):
        square += features[i, j, arm] * features[i, j, arm]
    if not square <= longest_square(ridge):
        return False
    absorb_replicate(factor, features, i, arm, reward, scratch)
    return True


@inlined
def rotate(upper, pivots, moment, x, reward, weight, steps):
    """Add ``x`` (d,) with its reward and weight to one regression; writes ``steps`` (d,).

    Returns the remaining weight. ``x`` is overwritten.
    """
    # Unsigned: signed indices may count from the end, and loops with this test are not vectorised.
    dim = np.uint64(x.shape[0])
    for j in range(dim):
        entry, pivot = x[j], pivots[0, j]
        lifted = weight * entry
        total = pivot + lifted * entry
        reciprocal = 1.0 / total
        keep, step = pivot * reciprocal, lifted * reciprocal
        pivots[0, j] = total
        pivots[1, j] = reciprocal
        steps[j] = step
        weight *= keep
        above, below = moment[j], reward
        reward = below - entry * above
        if keep > 0.5:
            moment[j] = above + step * reward
            for c in range(j + _ONE, dim):
                rest = x[c] - entry * upper[j, c]
                upper[j, c] += step * rest
                x[c] = rest
        else:
            moment[j] = keep * above + step * below
            for c in range(j + _ONE, dim):
                above, below = upper[j, c], x[c]
                upper[j, c] = keep * above + step * below
                x[c] = below - entry * above
    return weight


@compiled
def predict(upper, pivots, moment, features, mean, variance):
    r"""Write mean :math:`x^\top\hat\theta` and variance :math:`x^\top V^{-1} x`, both (n, K).

    Returns the first replicate with features that are not finite, -2 - i for the first whose
    variance overflows, or -1. Numbers depend on d and the arm alone, not on K.
    """
    scratch, factor = prediction_scratch(features), (upper, pivots, moment)
    for i in range(features.shape[0]):
        if not predict_replicate(factor, features, i, mean, variance, scratch):
            return cause(features, i)
    return -1


@inlined
def prediction_scratch(features):
    """Arrays that ``predict_replicate`` overwrites, for features (n, d, K)."""
    _, dim, n_arms = features.shape
    # A padded arm costs less than the remainder of a loop where loops are long.
    padded = n_arms if dim < LEFT_LOOKING_FROM else -(-n_arms // REGISTER) * REGISTER
    return np.zeros((dim, padded)), np.empty(padded), np.empty(padded)


@borrowing
def predict_replicate(factor, features, i, mean, variance, scratch):
    """:func:`predict` for replicate i; returns whether its variances are finite."""
    upper, pivots, moment = factor
    z, means, forms = scratch
    _, dim, n_arms = features.shape
    for j in range(dim):
        for k in range(n_arms):
            z[j, k] = features[i, j, k]
    for k in range(means.shape[0]):
        means[k] = 0.0
        forms[k] = 0.0
    if dim < LEFT_LOOKING_FROM:
        _right_looking(upper[i], pivots[i, 1], moment[i], z, means, forms)
    else:
        _left_looking(upper[i], pivots[i, 1], moment[i], z, means, forms)
    bad = 0
    for k in range(n_arms):
        mean[i, k] = means[k]
        variance[i, k] = forms[k]
        bad += not math.isfinite(forms[k])  # not finite if a feature was not
    return bad == 0


@inlined
def _right_looking(upper, reciprocals, moment, z, means, forms):
    # Four rows of z are finished, then taken off all rows below, two at a time.
    dim, padded = z.shape
    j = 0
    while j + 3 < dim:
        u01, u02, u03 = upper[j, j + 1], upper[j, j + 2], upper[j, j + 3]
        u12, u13, u23 = upper[j + 1, j + 2], upper[j + 1, j + 3], upper[j + 2, j + 3]
        p0, p1, p2, p3 = reciprocals[j], reciprocals[j + 1], reciprocals[j + 2], reciprocals[j + 3]
        g0, g1, g2, g3 = moment[j], moment[j + 1], moment[j + 2], moment[j + 3]
        for k in range(padded):
            z0 = z[j, k]
            z1 = z[j + 1, k] - u01 * z0
            z2 = z[j + 2, k] - (u02 * z0 + u12 * z1)
            z3 = z[j + 3, k] - ((u03 * z0 + u13 * z1) + u23 * z2)
            z[j + 1, k] = z1
            z[j + 2, k] = z2
            z[j + 3, k] = z3
            means[k] = (means[k] + (g0 * z0 + g1 * z1)) + (g2 * z2 + g3 * z3)
            forms[k] = (forms[k] + (p0 * z0 * z0 + p1 * z1 * z1)) + (p2 * z2 * z2 + p3 * z3 * z3)
        r = j + 4
        while r + 1 < dim:
            a0, a1, a2, a3 = upper[j, r], upper[j + 1, r], upper[j + 2, r], upper[j + 3, r]
            b0, b1 = upper[j, r + 1], upper[j + 1, r + 1]
            b2, b3 = upper[j + 2, r + 1], upper[j + 3, r + 1]
            for k in range(padded):
                z0, z1, z2, z3 = z[j, k], z[j + 1, k], z[j + 2, k], z[j + 3, k]
                z[r, k] -= (a0 * z0 + a1 * z1) + (a2 * z2 + a3 * z3)
                z[r + 1, k] -= (b0 * z0 + b1 * z1) + (b2 * z2 + b3 * z3)
            r += 2
        if r < dim:
            a0, a1, a2, a3 = upper[j, r], upper[j + 1, r], upper[j + 2, r], upper[j + 3, r]
            for k in range(padded):
                z[r, k] -= (a0 * z[j, k] + a1 * z[j + 1, k]) + (a2 * z[j + 2, k] + a3 * z[j + 3, k])
        j += 4
    while j < dim:
        p0, g0 = reciprocals[j], moment[j]
        for k in range(padded):
            means[k] += g0 * z[j, k]
            forms[k] += p0 * z[j, k] * z[j, k]
        for r in range(j + 1, dim):
            a0 = upper[j, r]
            for k in range(padded):
                z[r, k] -= a0 * z[j, k]
        j += 1


@inlined
def _left_looking(upper, reciprocals, moment, z, means, forms):
    # Two rows of z are finished in one go, four rows above taken off a pass.
    dim, padded = z.shape
    r = 0
    while r + 1 < dim:
        c = 0
        while c + 3 < r:
            a0, a1, a2, a3 = upper[c, r], upper[c + 1, r], upper[c + 2, r], upper[c + 3, r]
            b0, b1 = upper[c, r + 1], upper[c + 1, r + 1]
            b2, b3 = upper[c + 2, r + 1], upper[c + 3, r + 1]
            for k in range(padded):
                z0, z1, z2, z3 = z[c, k], z[c + 1, k], z[c + 2, k], z[c + 3, k]
                z[r, k] -= (a0 * z0 + a1 * z1) + (a2 * z2 + a3 * z3)
                z[r + 1, k] -= (b0 * z0 + b1 * z1) + (b2 * z2 + b3 * z3)
            c += 4
        if c < r:  # r is even: two rows are left
            a0, a1, b0, b1 = upper[c, r], upper[c + 1, r], upper[c, r + 1], upper[c + 1, r + 1]
            for k in range(padded):
                z[r, k] -= a0 * z[c, k] + a1 * z[c + 1, k]
                z[r + 1, k] -= b0 * z[c, k] + b1 * z[c + 1, k]
        u01, p0, p1 = upper[r, r + 1], reciprocals[r], reciprocals[r + 1]
        g0, g1 = moment[r], moment[r + 1]
        for k in range(padded):
            z0 = z[r, k]
            z1 = z[r + 1, k] - u01 * z0
            z[r + 1, k] = z1
            means[k] += g0 * z0 + g1 * z1
            forms[k] += p0 * z0 * z0 + p1 * z1 * z1
        r += 2
    if r < dim:
        for c in range(r):
            a0 = upper[c, r]
            for k in range(padded):
                z[r, k] -= a0 * z[c, k]
        p0, g0 = reciprocals[r], moment[r]
        for k in range(padded):
            means[k] += g0 * z[r, k]
            forms[k] += p0 * z[r, k] * z[r, k]
