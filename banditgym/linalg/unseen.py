r"""The inverse Gram matrix until features have spanned the space: unseen directions kept apart.

Where the features seen so far span less than :math:`R^d`,

.. math:: V^{-1} = A + N / \lambda,

A the inverse on their span and N the projector on its complement. Added up, with
:math:`\lVert x\rVert^2/\lambda` large, a product :math:`x^\top V^{-1} x` within the span is the
difference of large numbers, wrong by eps :math:`\lVert x\rVert^2/\lambda` however V was inverted.
Kept apart it is :math:`x^\top A x + \lVert N x\rVert^2/\lambda`, wrong by
eps\ :sup:`2` :math:`\lVert x\rVert^2/\lambda` in its second term.

A sample with :math:`p = N x \ne 0`, :math:`g = p / \lVert p\rVert`, :math:`a = A x`,
:math:`\kappa = 1 + x^\top A x` and :math:`D = \lambda\kappa + \lVert p\rVert^2` makes

.. math:: A' = A - \frac{\lambda}{D} a a^\top - \frac{\lVert p\rVert}{D} (a g^\top + g a^\top)
    + \frac{\kappa}{D} g g^\top, \qquad N' = N - g g^\top,

which is Sherman--Morrison's identity with nothing cancelled. A sample without p updates A alone.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.inverse import (
    STEEP,
    absorb_fixed_one,
    absorb_one,
    first_not_finite,
    may_be_long,
    symmetric_product,
)

# Times d eps ‖x‖: a component N x shorter than this is the rounding of one within the span.
_ROUNDING = 64 * 2.0**-52
_TINY = 2.0**-1022  # smallest number of full precision


@compiled
def add_unseen(unseen, rank, ridge, features, variance):
    r"""Add :math:`\lVert N x\rVert^2/\lambda` to the variance (n, K) that A gives.

    Returns the first replicate where it overflows, or -1.
    """
    n, dim, n_arms = features.shape
    first, second, weight = np.empty(n_arms), np.empty(n_arms), 1.0 / ridge
    for i in range(n):
        if rank[i] == dim:
            continue
        # Before any data arms of one length tie but for rounding: summed in pairs, in the order of
        # inverse.predict, they are what they would be by the inverse I / ridge.
        r = 0
        while r + 1 < dim:
            _row(unseen[i], r, features[i], first)
            _row(unseen[i], r + 1, features[i], second)
            for k in range(n_arms):
                variance[i, k] += (weight * first[k]) * first[k] + (weight * second[k]) * second[k]
            r += 2
        if r < dim:
            _row(unseen[i], r, features[i], first)
            for k in range(n_arms):
                variance[i, k] += (weight * first[k]) * first[k]
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(variance[i, k])
        if bad > 0:
            return i
    return -1


@inlined
def _row(matrix, r, x, out):
    # Row r of matrix @ x, four columns a pass.
    dim, n_arms = x.shape
    for k in range(n_arms):
        out[k] = 0.0
    c = 0
    while c + 3 < dim:
        a0, a1, a2, a3 = matrix[r, c], matrix[r, c + 1], matrix[r, c + 2], matrix[r, c + 3]
        for k in range(n_arms):
            out[k] += (a0 * x[c, k] + a1 * x[c + 1, k]) + (a2 * x[c + 2, k] + a3 * x[c + 3, k])
        c += 4
    while c < dim:
        a0 = matrix[r, c]
        for k in range(n_arms):
            out[k] += a0 * x[c, k]
        c += 1


@compiled
def absorb_unseen(
    seen, unseen, rank, ridge, theta, log_det, features, arms, reward, observed
):  # fmt: skip
    """As ``inverse.absorb``, for ``seen`` (n, d, d), ``unseen`` (n, d, d) and ``rank`` (n,)."""
    bad = first_not_finite(features, arms, observed)
    if bad >= 0:
        return bad
    n, dim, _ = features.shape
    for i in range(n):
        # The seen part alone: what is new is too long only where its variance overflows.
        if not observed[i]:
            continue
        if may_be_long(seen[i], features, i, arms[i]):
            return -2 - i
        if rank[i] < dim:
            square = 0.0
            for j in range(dim):
                square += features[i, j, arms[i]] * features[i, j, arms[i]]
            if not math.isfinite(square / ridge):
                return -2 - i
    x, u, p, g = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim)
    for i in range(n):
        if not observed[i]:
            continue
        for j in range(dim):
            x[j] = features[i, j, arms[i]]
        if rank[i] < dim and _is_new(unseen[i], x, p, g):
            mean = 0.0
            for j in range(dim):
                mean += x[j] * theta[i, j]
            form = _see(seen[i], unseen[i], rank, i, ridge, x, u, p, g)
            # u is now V'^{-1} x
            for j in range(dim):
                theta[i, j] += (reward[i] - mean) * u[j]
            log_det[i] += math.log1p(form)
        else:
            log_det[i] += math.log1p(absorb_one(seen[i], theta[i], x, reward[i], u))
    return -1


@compiled
def absorb_fixed_unseen(
    seen, unseen, rank, ridge, mean, variance, log_det, features, arms, reward, observed
):  # fmt: skip
    """As ``inverse.absorb_fixed``. A sample in a new direction has all variances computed afresh:
    they fall from the order of 1 / ridge, and a difference would keep the rounding of that.
    """
    n, dim, n_arms = features.shape
    x, u, p, g = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim)
    z = np.empty(n_arms)
    for i in range(n):
        if not observed[i]:
            continue
        a = arms[i]
        for j in range(dim):
            x[j] = features[i, j, a]
        if rank[i] < dim and _is_new(unseen[i], x, p, g):
            form = _see(seen[i], unseen[i], rank, i, ridge, x, u, p, g)
            step = reward[i] - mean[i, a]
            for k in range(n_arms):
                for j in range(dim):
                    x[j] = features[i, j, k]
                    mean[i, k] += step * u[j] * x[j]
                symmetric_product(seen[i], x, p)
                variance[i, k] = 0.0
                for j in range(dim):
                    variance[i, k] += p[j] * x[j]
                symmetric_product(unseen[i], x, p)
                variance[i, k] += _squared(p) / ridge
        else:
            form = absorb_fixed_one(
                seen[i], mean[i], variance[i], features[i], a, reward[i], x, u, z
            )
            if form > STEEP:
                for k in range(n_arms):
                    for j in range(dim):
                        x[j] = features[i, j, k]
                    symmetric_product(unseen[i], x, p)
                    variance[i, k] += _squared(p) / ridge
        log_det[i] += math.log1p(form)


@inlined
def _squared(p):
    total = 0.0
    for j in range(p.shape[0]):
        total += p[j] * p[j]
    return total


@inlined
def _is_new(unseen, x, p, g):
    # Whether x has a component p in the complement; projected twice, since once leaves the rounding
    # of x, which may be long beside p. g is scratch.
    symmetric_product(unseen, x, g)
    symmetric_product(unseen, g, p)
    square = _squared(p)
    # The square of a component too small for it has lost digits, and with them g its length.
    return square > _TINY and math.sqrt(square) > _ROUNDING * x.shape[0] * math.sqrt(_squared(x))


@inlined
def _see(seen, unseen, rank, i, ridge, x, u, p, g):
    # Takes x in; returns x^T V^{-1} x of before and leaves V'^{-1} x in u.
    dim = x.shape[0]
    symmetric_product(seen, x, u)
    kappa = 1.0
    for j in range(dim):
        kappa += x[j] * u[j]
    square = _squared(p)
    length = math.sqrt(square)
    scale = 1.0 / (ridge * kappa + square)
    for j in range(dim):
        g[j] = p[j] / length
    for r in range(dim):
        for c in range(dim):
            seen[r, c] += scale * (
                kappa * (g[r] * g[c]) - length * (u[r] * g[c] + g[r] * u[c]) - ridge * (u[r] * u[c])
            )
            unseen[r, c] -= g[r] * g[c]
    rank[i] += 1
    if rank[i] == dim:
        for r in range(dim):
            for c in range(dim):
                unseen[r, c] = 0.0
    for j in range(dim):
        u[j] = scale * (ridge * u[j] + p[j])
    return kappa - 1.0 + square / ridge
