r"""Regression by one Cholesky factorisation per round, for Gram matrices without rank-one updates.

In every round :math:`(1 - \gamma)\lambda I` is added to a discounted Gram matrix, and a sample is
added to and another subtracted from that of a window. So V itself is kept, and factored as
:math:`V = U^\top U` to predict arms: :math:`O(d^3 + K d^2)` a round per replicate. Solving with the
factor is backward stable, and inherits no errors from earlier rounds.

Every Schur complement of :math:`V \succeq \lambda I` is at least :math:`\lambda`. Where features
are long and :math:`\lambda` is tiny, rounding may give a smaller pivot, which is set to
:math:`\lambda`.
"""

import math

import numpy as np

from agents.inputs.feature_limits import first_refused
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.streams import REGISTER

LONGEST_SUMMED = 1e10  # the largest ‖x‖² / ridge of a sample of a V that is summed


@compiled
def predict_factored(sums, ridge, features, predicted):
    r"""Write mean :math:`x^\top V^{-1} b` and variance :math:`x^\top V^{-1} x`, both (n, K).

    ``sums`` are V, :math:`V_2` and b; ``predicted`` are mean, variance and form. Where
    :math:`V_2` (n, d, d) is not empty, the form (n, K) is :math:`x^\top V^{-1} V_2 V^{-1} x`, else
    it stays as it was.
    """
    (gram, squared, moment), (mean, variance, form) = sums, predicted
    n, dim, n_arms = features.shape
    padded = (n_arms + 1 + REGISTER - 1) // REGISTER * REGISTER  # whole registers
    # Scratch of one replicate serves the whole batch.
    factor, y, total = np.empty((dim, dim)), np.zeros((dim, padded)), np.empty(padded)
    for i in range(n):
        factorise(gram[i], ridge, factor)
        for r in range(dim):
            for k in range(n_arms):
                y[r, k] = features[i, r, k]
            y[r, n_arms] = moment[i, r]
        _solve_forward(factor, y)
        for k in range(n_arms):
            mean[i, k] = 0.0
            variance[i, k] = 0.0
        for r in range(dim):
            of_moment = y[r, n_arms]
            for k in range(n_arms):
                mean[i, k] += of_moment * y[r, k]
                variance[i, k] += y[r, k] * y[r, k]
        if squared.size > 0:
            _solve_backward(factor, y)
            _forms(squared[i], y, total, form[i])
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(variance[i, k])  # not finite if a feature was not
        if bad > 0:
            return i
    return -1


@inlined
def factorise(gram, floor, factor):
    """Write U, upper triangular with ``U^T U = gram`` and the reciprocals of its diagonal.

    The part below the diagonal is left undefined. Pivots are at least ``floor``.
    """
    # Four rows are finished, then subtracted from all rows below in one pass, two rows at a time.
    dim = gram.shape[0]
    for r in range(dim):
        for c in range(r, dim):
            factor[r, c] = gram[r, c]
    k = 0
    while k < dim:
        block = min(k + 4, dim)
        for p in range(k, block):
            for q in range(k, p):
                weight = factor[q, p]
                for c in range(p, dim):
                    factor[p, c] -= weight * factor[q, c]
            reciprocal = 1.0 / math.sqrt(max(factor[p, p], floor))
            factor[p, p] = reciprocal
            for c in range(p + 1, dim):
                factor[p, c] *= reciprocal
        if block == k + 4:
            r = block
            while r + 1 < dim:
                a0, a1, a2, a3 = factor[k, r], factor[k + 1, r], factor[k + 2, r], factor[k + 3, r]
                b0, b1 = factor[k, r + 1], factor[k + 1, r + 1]
                b2, b3 = factor[k + 2, r + 1], factor[k + 3, r + 1]
                for c in range(r, dim):
                    u0, u1 = factor[k, c], factor[k + 1, c]
                    u2, u3 = factor[k + 2, c], factor[k + 3, c]
                    factor[r, c] -= (a0 * u0 + a1 * u1) + (a2 * u2 + a3 * u3)
                    factor[r + 1, c] -= (b0 * u0 + b1 * u1) + (b2 * u2 + b3 * u3)
                r += 2
            if r < dim:
                for q in range(k, block):
                    factor[r, r] -= factor[q, r] * factor[q, r]
        k = block


@inlined
def _solve_forward(factor, y):
    # U^T y' = y in place, y of shape (d, padded).
    for r in range(y.shape[0]):
        _finish_row(factor[:, r], y, r, 0, r)


@inlined
def _solve_backward(factor, y):
    # U y' = y in place.
    dim = y.shape[0]
    for back in range(dim):
        r = dim - 1 - back
        _finish_row(factor[r], y, r, r + 1, dim)


@borrowing
def _finish_row(weights, y, r, k, stop):
    """Subtract rows k .. stop - 1 of y, times their weights, from row r: four rows a pass."""
    padded = y.shape[1]
    while k + 3 < stop:
        u0, u1, u2, u3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for j in range(padded):
            y[r, j] -= (u0 * y[k, j] + u1 * y[k + 1, j]) + (u2 * y[k + 2, j] + u3 * y[k + 3, j])
        k += 4
    while k < stop:
        u0 = weights[k]
        for j in range(padded):
            y[r, j] -= u0 * y[k, j]
        k += 1
    u0 = weights[r]
    for j in range(padded):
        y[r, j] *= u0


@inlined
def _forms(matrix, y, total, form):
    # y_k^T matrix y_k of the first K columns of y, by the lower triangle.
    dim, padded = y.shape
    for k in range(form.shape[0]):
        form[k] = 0.0
    for r in range(dim):
        diagonal = matrix[r, r]
        for j in range(padded):
            total[j] = diagonal * y[r, j]
        c = 0
        while c + 3 < r:
            a0, a1 = 2.0 * matrix[r, c], 2.0 * matrix[r, c + 1]
            a2, a3 = 2.0 * matrix[r, c + 2], 2.0 * matrix[r, c + 3]
            for j in range(padded):
                total[j] += (a0 * y[c, j] + a1 * y[c + 1, j]) + (
                    a2 * y[c + 2, j] + a3 * y[c + 3, j]
                )
            c += 4
        while c < r:
            a0 = 2.0 * matrix[r, c]
            for j in range(padded):
                total[j] += a0 * y[c, j]
            c += 1
        for k in range(form.shape[0]):
            form[k] += total[k] * y[r, k]


@inlined
def add_outer(matrix, weight, x):
    """``matrix += weight x x^T`` in place."""
    dim = x.shape[0]
    for r in range(dim):
        # x_r x_c first: this product is symmetric to the last bit, which keeps the matrix
        # symmetric.
        for c in range(dim):
            matrix[r, c] += weight * (x[r] * x[c])


@compiled
def absorb_discounted(model, features, arms, reward, observed):
    r"""Discount the past, then add the chosen arms (n,) and their rewards (n,).

    ``model`` is ``agents.parts.estimators.discounted.DiscountedArms``.

    .. math:: V \leftarrow \gamma V + x x^\top + (1 - \gamma)\lambda I, \quad
        V_2 \leftarrow \gamma^2 V_2 + x x^\top + (1 - \gamma^2)\lambda I, \quad
        b \leftarrow \gamma b + r x
    """
    gram, squared, moment = model.gram, model.squared_gram, model.moment
    discount, ridge = model.discount, model.ridge
    bad = first_refused(features, arms, observed, LONGEST_SUMMED * ridge)
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    x = np.empty(dim)
    twice = discount * discount
    for i in range(n):
        if not observed[i]:
            continue
        for j in range(dim):
            x[j] = features[i, j, arms[i]]
        for r in range(dim):
            for c in range(dim):
                outer = x[r] * x[c]
                gram[i, r, c] = discount * gram[i, r, c] + outer
                squared[i, r, c] = twice * squared[i, r, c] + outer
            gram[i, r, r] += (1.0 - discount) * ridge
            squared[i, r, r] += (1.0 - twice) * ridge
            moment[i, r] = discount * moment[i, r] + reward[i] * x[r]
    return -1


@compiled
def absorb_window(model, features, arms, reward, observed):
    r"""Add the chosen arms (n,) and their rewards (n,), and subtract the sample that leaves.

    ``model`` is ``agents.parts.estimators.window.WindowArms``. ``size`` (n, 2) is
    :math:`\sum\lVert x\rVert^2` and :math:`\sum\lvert r\rvert \lVert x\rVert` of the window;
    ``moved`` (n, 2) is the sum of ``size`` over the additions and removals since V and b were last
    summed anew. Rounding errors are bounded by eps times ``moved``, and those of a new sum by eps W
    ``size``. Once ``moved`` exceeds 4 W ``size``, V and b are summed anew: every 2 W rounds if all
    features have one length, and at once after long ones have left.
    """
    gram, moment, samples, paid = model.gram, model.moment, model.samples, model.paid
    count, size, moved, ridge = model.count, model.size, model.moved, model.ridge
    bad = first_refused(features, arms, observed, LONGEST_SUMMED * ridge)
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    window = samples.shape[1]
    x = np.empty(dim)
    for i in range(n):
        if not observed[i]:
            continue
        slot = count[i] % window
        if count[i] >= window:
            for j in range(dim):
                x[j] = samples[i, slot, j]
            _weigh(size[i], moved[i], -1.0, x, paid[i, slot])
            add_outer(gram[i], -1.0, x)
            for j in range(dim):
                moment[i, j] -= paid[i, slot] * x[j]
        for j in range(dim):
            x[j] = features[i, j, arms[i]]
            samples[i, slot, j] = x[j]
            moment[i, j] += reward[i] * x[j]
        paid[i, slot] = reward[i]
        add_outer(gram[i], 1.0, x)
        _weigh(size[i], moved[i], 1.0, x, reward[i])
        count[i] += 1
        limit = 4.0 * window
        if moved[i, 0] > limit * size[i, 0] or moved[i, 1] > limit * size[i, 1]:
            _sum_afresh(gram[i], moment[i], samples[i], paid[i], count[i], size[i], x, ridge)
            moved[i, 0] = 0.0
            moved[i, 1] = 0.0
    return -1


@inlined
def _weigh(size, moved, sign, x, reward):
    square = 0.0
    for j in range(x.shape[0]):
        square += x[j] * x[j]
    # The larger of the sizes before and after, because rounding depends on both.
    before_0, before_1 = size[0], size[1]
    size[0] = max(0.0, size[0] + sign * square)
    size[1] = max(0.0, size[1] + sign * abs(reward) * math.sqrt(square))
    moved[0] += max(before_0, size[0])
    moved[1] += max(before_1, size[1])


@inlined
def _sum_afresh(gram, moment, samples, paid, count, size, x, ridge):
    dim = x.shape[0]
    for r in range(dim):
        for c in range(dim):
            gram[r, c] = 0.0
        gram[r, r] = ridge
        moment[r] = 0.0
    size[0] = 0.0
    size[1] = 0.0
    for s in range(min(count, samples.shape[0])):
        square = 0.0
        for j in range(dim):
            x[j] = samples[s, j]
            square += x[j] * x[j]
            moment[j] += paid[s] * x[j]
        add_outer(gram, 1.0, x)
        size[0] += square
        size[1] += abs(paid[s]) * math.sqrt(square)
