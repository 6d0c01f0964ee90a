"""The least squares of ``triangular`` in many rounds, once all rows span the space."""

import math

import numpy as np

from banditgym.compiled import borrowing, compiled, inlined
from banditgym.linalg.lanes import aligned, rotate_columns
from banditgym.linalg.triangular import LONGEST_ROW, first_refused

# Bytes for the lanes that play all rounds, and their least number: more would leave the second
# cache, and with fewer the loops' beginnings cost more.
_NEAR_CACHE, _FEWEST = 80 << 10, 16


@compiled
def absorb_rows(factor, features, scale, outcomes, mean, leverage, residual):
    r"""Predict and absorb rows, as ``predict_row`` and ``absorb_row`` do, in each of m rounds.

    The rows are ``scale`` times ``features`` (m, d, n), with outcomes (m, n). Every :math:`D_j` of
    the factor must be above 0: then no row has a new direction, and thresholds are neither read nor
    changed. Writes mean, leverage and residual (m, n); each of the first two, or the last, may be
    None.

    Returns what ``predict_row`` does of the first round with a bad row, before anything is written.
    """
    rounds, dim, n = features.shape
    groups, size, lanes = factor.shape
    # A few lanes play all rounds, copied to where they stay in the first caches.
    most = max(_FEWEST, _NEAR_CACHE // (8 * (size + 7)) // 8 * 8)
    together = -(-lanes // -(-lanes // most))
    together = together if together <= 8 else -(-together // 8) * 8
    if not _are_short(features, scale):
        everyone = np.ones(n, np.bool_)
        for t in range(rounds):
            bad = first_refused((scale * features[t].T).reshape(n, dim, 1), everyone)
            if bad != -1:
                return bad
    work = aligned(size + 6, together)
    rows, x, scratch = work[: size - dim], work[size - dim : size + 1], work[size + 1 :]
    for group in range(groups):
        for first in range(0, min(lanes, n - group * lanes), together):
            count = min(together, min(lanes, n - group * lanes) - first)
            for r in range(size - dim):
                for lane in range(count):
                    rows[r, lane] = factor[group, r, first + lane]
                for lane in range(count, together):
                    rows[r, lane] = 1.0
            x[:] = 0.0
            start = group * lanes + first
            for t in range(rounds):
                own, y = features[t, :, start : start + count], outcomes[t, start : start + count]
                for j in range(dim):
                    for lane in range(count):
                        x[j, lane] = scale * own[j, lane]
                for lane in range(count):
                    x[dim, lane] = y[lane]
                weight, less_mean, form = _absorb_one(rows, x, scratch, leverage is not None)
                for lane in range(count):
                    if leverage is not None:
                        mean[t, start + lane] = -less_mean[lane]
                        leverage[t, start + lane] = form[lane]
                    if residual is not None:
                        residual[t, start + lane] = math.sqrt(weight[lane]) * x[dim, lane]
            for r in range(size - dim):
                for lane in range(count):
                    factor[group, r, first + lane] = rows[r, lane]
    return -1


@inlined
def _absorb_one(rows, x, scratch, predicts):
    """Absorb one row of every lane; returns weights and, if it predicts, -means and leverages.

    ``rows`` are those of the triangles, ``x`` (d + 1, lanes) the rows and outcomes: overwritten.
    """
    weight, keep, step, less_mean, form = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    dim, lanes = x.shape[0] - 1, x.shape[1]
    for lane in range(lanes):
        weight[lane] = 1.0
        less_mean[lane] = 0.0
        form[lane] = 0.0
    at = 0
    for j in range(dim):
        if predicts:
            _add_leverage(x[j], rows[at], form)
        near = _divide_twice(x[j], rows[at], weight, keep, step)
        at += 1
        stop = at + dim - j
        if predicts:
            _add_product(x[j], rows[stop - 1], less_mean)
        rotate_columns(x[j + 1 :], rows[at:stop], x[j], keep, step, near)
        at = stop
    return weight, less_mean, form


@borrowing
def _divide_twice(entry, pivots, weight, keep, step):
    """Pivots, weights, keep and step of a rotation; returns whether keep > 1/2 in every lane.

    For the same bits as ``absorb_row``.
    """
    far = 0
    for lane in range(entry.shape[0]):
        value, pivot = entry[lane], pivots[lane]
        total = pivot + weight[lane] * value * value
        kept = pivot / total
        pivots[lane] = total
        step[lane] = weight[lane] * value / total
        keep[lane] = kept
        weight[lane] *= kept
        far += not kept > 0.5
    return far == 0


@borrowing
def _add_leverage(entry, pivots, form):
    for lane in range(entry.shape[0]):
        form[lane] += entry[lane] * entry[lane] / pivots[lane]


@borrowing
def _add_product(entry, row, less_mean):
    for lane in range(entry.shape[0]):
        less_mean[lane] -= entry[lane] * row[lane]


@inlined
def _are_short(features, scale):
    """Whether no scaled feature is so long that its row might be refused."""
    flat, limit, long = features.reshape(features.size), LONGEST_ROW / features.shape[1], 0
    for k in range(flat.size):
        long += not abs(scale * flat[k]) <= limit
    return long == 0
