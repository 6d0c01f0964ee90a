r"""Mean and variance of arms by the factor of ``agents.numerics.ridge.factor``.

With :math:`z = U^{-\top} x` those of an arm x are

.. math:: x^\top\hat\theta = \sum_j z_j g_j, \qquad x^\top V^{-1} x = \sum_j z_j^2 / D_j,

both from one forward substitution. K arms cost :math:`O(K d^2)`. Features are stored (n, d, K), so
that the inner loops run over the arms.
"""

import math

import numpy as np

from agents.inputs.feature_limits import cause
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.streams import REGISTER

LEFT_LOOKING_FROM = 24  # dimension from which the second form of the substitution is faster


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
