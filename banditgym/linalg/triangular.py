r"""Least squares without a ridge: a triangular factor of the rows seen, updated by rotations.

The rows X (t, d) of a replicate are kept as :math:`X = Q R` with R upper triangular, and their
outcomes as :math:`Q^\top y`; neither Q nor the Gram matrix, which would square the condition
number, is ever formed. A row is rotated into R column by column. While no row has an entry in
column j, row j of R is zero; the first row with an entry left there becomes row j. R is therefore
in echelon form for any rank.

**Rotations without square roots.** R is held as :math:`D^{1/2} U`, with D diagonal and the diagonal
of U all ones, and :math:`Q^\top y` as :math:`D^{1/2} c`. A row x has the weight w, at first 1, and
the rotation with row j is

.. math:: \delta = D_j + w x_j^2, \quad (\text{keep}, \text{step}) = (D_j, w x_j) / \delta, \quad
    U_j \leftarrow \text{keep}\, U_j + \text{step}\, x, \quad x \leftarrow x - x_j U_j, \quad
    w \leftarrow \text{keep}\, w, \quad D_j \leftarrow \delta,

with old values on the right. These are Givens rotations, and equally stable: the new row of U is a
mean of two rows. If keep > 1/2 it is computed as :math:`U_j + \text{step}\, (x - x_j U_j)`, which
changes no bit where the row agrees with it, so that rows within a span do not drift out of it; for
smaller keep this difference would cancel. At the end :math:`1/w - 1` is the leverage
:math:`x^\top (X^\top X)^{-1} x`, and the remaining outcome is the error of its prediction.

**Rank.** Where row j of R is zero, a remaining entry :math:`\sqrt w x_j` of a row counts as zero if
it is at most ``tolerance`` times the row's own length. Every row has its own scale: its threshold
is rotated with it, so that the remainder of a short row is not compared with a long one. A row
whose squares underflow, shorter than 1e-160, has no effect.

**Precision.** The error of leverages is a few d eps times the condition number of the columns of X
that have a pivot: all columns once the rows span the space, before that the first independent ones,
which determine the others within the span. Means have the same relative error, times the size of
the outcomes, and this error times the condition number again, times the size of their residual.

**Layout.** ``nothing_absorbed`` makes a ``factor``, (blocks, d (d + 5) / 2, lanes), an array of
plain numbers that is zero before any data. Replicates run along the last axis, so that one
instruction processes several: replicate i is lane i % lanes of block i // lanes. The middle axis
has the rows of the triangle one after the other, :math:`D_j, U_{j,j+1}, .., U_{j,d-1}, c_j`, and
then, for each of them, the square below which an entry counts as rounding. No number depends on the
other lanes or on their number.

References
----------
W. M. Gentleman. Least Squares Computations by Givens Transformations Without Square Roots.
Journal of the Institute of Mathematics and its Applications 1973.
"""

import math

import numpy as np

from banditgym.compiled import compiled, distinct, inlined

# Bytes for the lanes that play all rounds, and their least number: more would leave the second
# cache, and each of fewer pays more for the loops' beginnings.
_NEAR_CACHE, _FEWEST = 80 << 10, 16
_LANES = 128  # the largest number: a row of lanes for each column of x stays in the first cache
LONGEST_ROW = 1e140  # length of a row whose products cannot overflow


def nothing_absorbed(n: int, dim: int, ridge: float = 0.0) -> np.ndarray:
    r"""The factor before any data, for n replicates of dimension ``dim``.

    With a ridge, the rows :math:`\sqrt\lambda I` with outcomes 0 count as absorbed: then mean and
    leverage are those of ridge regression.
    """
    blocks = -(-n // _LANES)
    size = dim * (dim + 5) // 2
    factor = np.zeros((blocks, size, -(-n // blocks)))
    factor[:, pivots(size)] = ridge
    return factor


def pivots(size: int) -> np.ndarray:
    """Where the :math:`D_j` lie along the middle axis, of length ``size``, of a factor, (d,)."""
    dim = (math.isqrt(25 + 8 * size) - 5) // 2
    return np.array([j * (dim + 1) - j * (j - 1) // 2 for j in range(dim)])


@compiled
def absorb_row(factor, features, outcome, observed, tolerance, residual):
    r"""Add the rows ``features`` (n, d, 1) with their ``outcome`` (n,) where ``observed`` (n,).

    Writes ``residual`` (n,): its square is by how much
    :math:`\min_\theta \sum_s (y_s - x_s^\top\theta)^2` grows; its sign that of the outcome less its
    prediction. It is 0 where the row has a new direction or is not observed.

    Returns the first observed replicate whose features are not finite, or -2 - i where a row is
    longer than 1e140, before anything is written; else -1. O(d²) a replicate.
    """
    bad = _first_refused(features, observed)
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    blocks, _, lanes = factor.shape
    x, least = np.empty((dim + 1, lanes)), np.empty(lanes)
    weight, entry, keep, step = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for block in range(blocks):
        rows, start = factor[block], block * lanes
        present = min(lanes, n - start)
        _gather(features, start, tolerance, x, least)
        for lane in range(lanes):
            weight[lane] = 0.0
            x[dim, lane] = 0.0
        for lane in range(present):
            if observed[start + lane]:
                weight[lane] = 1.0
                x[dim, lane] = outcome[start + lane]
            else:  # a row of zeros without weight changes nothing
                least[lane] = 0.0
                for j in range(dim):
                    x[j, lane] = 0.0
        at, spread = 0, rows.shape[0] - dim
        for j in range(dim):
            for lane in range(lanes):
                # No branches: as choices between two numbers they run along the registers.
                value, pivot = x[j, lane], rows[at, lane]
                gain = weight[lane] * value * value
                nothing = (pivot == 0.0) & (gain <= least[lane])
                blur, own = rows[spread + j, lane], least[lane]
                value = 0.0 if nothing else value
                total = 1.0 if nothing else pivot + gain
                kept = 1.0 if nothing else pivot / total
                rows[at, lane] = 0.0 if nothing else total
                share = 0.0 if nothing else gain / total
                rows[spread + j, lane] = kept * blur + share * own
                least[lane] = kept * own + share * blur
                step[lane] = weight[lane] * value / total
                keep[lane] = kept
                weight[lane] *= kept
                entry[lane] = value
            at += 1
            for c in range(j + 1, dim + 1):
                _rotate(x[c], rows[at], entry, keep, step, False)
                at += 1
        for lane in range(present):
            residual[start + lane] = math.sqrt(weight[lane]) * x[dim, lane]
    return -1


@distinct
def _rotate(x, row, entry, keep, step, near):
    """Rotate a column of the rows of all lanes, ``x`` (lanes,), with that of the triangle's row.

    ``near`` says that keep > 1/2 in every lane, as it is after some rounds.
    """
    if near:
        for lane in range(x.shape[0]):
            rest = x[lane] - entry[lane] * row[lane]
            x[lane] = rest
            row[lane] += step[lane] * rest
        return
    for lane in range(x.shape[0]):
        below, above = x[lane], row[lane]
        rest = below - entry[lane] * above
        close, far = above + step[lane] * rest, keep[lane] * above + step[lane] * below
        x[lane] = rest
        row[lane] = close if keep[lane] > 0.5 else far


@compiled
def predict_row(factor, features, tolerance, mean, leverage):
    r"""Write mean :math:`x^\top\hat\theta` and leverage :math:`x^\top (X^\top X)^+ x`, both (n, 1).

    :math:`\hat\theta` is any minimiser: within the span of the rows their predictions agree.
    Outside it, where ``absorb_row`` would find a new direction, the leverage is infinite and the
    mean 0, as that of the minimiser of least norm on these rows and x with outcome 0.

    Returns the first replicate whose features are not finite, or -2 - i where a row is longer than
    1e140, before anything is written; else -1. O(d²) a replicate.
    """
    n, dim, _ = features.shape
    bad = _first_refused(features, np.ones(n, np.bool_))
    if bad != -1:
        return bad
    blocks, _, lanes = factor.shape
    x, least, entry = np.empty((dim + 1, lanes)), np.empty(lanes), np.empty(lanes)
    form, outside = np.empty(lanes), np.empty(lanes, np.bool_)
    for block in range(blocks):
        rows, start = factor[block], block * lanes
        _gather(features, start, tolerance, x, least)
        for lane in range(lanes):
            x[dim, lane] = 0.0  # takes minus the mean
            form[lane] = 0.0
            outside[lane] = False
        at, spread = 0, rows.shape[0] - dim
        for j in range(dim):
            for lane in range(lanes):
                value, pivot = x[j, lane], rows[at, lane]
                # 1 / (1 + form) is the weight that the row would have come to.
                empty = pivot == 0.0
                outside[lane] |= empty & (value * value > least[lane] * (1.0 + form[lane]))
                value = 0.0 if empty else value
                before, part = 1.0 + form[lane], value * value / (1.0 if empty else pivot)
                form[lane] += part
                blur = part * rows[spread + j, lane]
                least[lane] = (before * least[lane] + blur) / (1.0 + form[lane])
                entry[lane] = value
            at += 1
            for c in range(j + 1, dim + 1):
                for lane in range(lanes):
                    x[c, lane] -= entry[lane] * rows[at, lane]
                at += 1
        for lane in range(min(lanes, n - start)):
            mean[start + lane, 0] = 0.0 if outside[lane] else -x[dim, lane]
            leverage[start + lane, 0] = math.inf if outside[lane] else form[lane]
    return -1


@compiled
def all_span(factor, dim, n):
    """Whether the rows of all n replicates span the space: then every :math:`D_j` is above 0."""
    blocks, _, lanes = factor.shape
    for block in range(blocks):
        at = 0
        for j in range(dim):
            for lane in range(min(lanes, n - block * lanes)):
                if not factor[block, at, lane] > 0.0:
                    return False
            at += dim + 1 - j
    return True


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
    blocks, size, lanes = factor.shape
    # A few lanes play all rounds, copied to where they stay in the first caches.
    most = max(_FEWEST, _NEAR_CACHE // (8 * (size + 7)) // 8 * 8)
    together = -(-lanes // -(-lanes // most))
    together = together if together <= 8 else -(-together // 8) * 8
    if not _are_short(features, scale):
        everyone = np.ones(n, np.bool_)
        for t in range(rounds):
            bad = _first_refused((scale * features[t].T).reshape(n, dim, 1), everyone)
            if bad != -1:
                return bad
    work = _aligned(size + 6, together)
    rows, x, scratch = work[: size - dim], work[size - dim : size + 1], work[size + 1 :]
    for block in range(blocks):
        for first in range(0, min(lanes, n - block * lanes), together):
            count = min(together, min(lanes, n - block * lanes) - first)
            for r in range(size - dim):
                for lane in range(count):
                    rows[r, lane] = factor[block, r, first + lane]
                for lane in range(count, together):
                    rows[r, lane] = 1.0
            x[:] = 0.0
            start = block * lanes + first
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
                    factor[block, r, first + lane] = rows[r, lane]
    return -1


@inlined
def _aligned(rows, lanes):
    """An array that begins on a cache line: if lanes are whole lines, no register spans two."""
    work = np.empty(rows * lanes + 7)
    skipped = -work.ctypes.data % 64 // 8
    return work[skipped : skipped + rows * lanes].reshape(rows, lanes)


@inlined
def _absorb_one(rows, x, scratch, predicts):
    """Absorb one row of every lane: the weights, and if it predicts minus the means and leverages.

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
        near = _divide(x[j], rows[at], weight, keep, step)
        at += 1
        for c in range(j + 1, dim):
            _rotate(x[c], rows[at], x[j], keep, step, near)
            at += 1
        if predicts:
            _add_product(x[j], rows[at], less_mean)
        _rotate(x[dim], rows[at], x[j], keep, step, near)
        at += 1
    return weight, less_mean, form


@distinct
def _divide(entry, pivots, weight, keep, step):
    """Pivots, weights, keep and step of a rotation; returns whether keep > 1/2 in every lane."""
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


@distinct
def _add_leverage(entry, pivots, form):
    for lane in range(entry.shape[0]):
        form[lane] += entry[lane] * entry[lane] / pivots[lane]


@distinct
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


@inlined
def _first_refused(features, observed):
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i]:
            square, finite = 0.0, True
            for j in range(dim):
                square += features[i, j, 0] * features[i, j, 0]
                finite &= math.isfinite(features[i, j, 0])
            if not finite:
                return i
            if square > LONGEST_ROW * LONGEST_ROW:
                return -2 - i
    return -1


@inlined
def _gather(features, start, tolerance, x, least):
    # The rows of a block to x (d + 1, lanes), and the square below which an entry counts as zero.
    n, dim, _ = features.shape
    lanes = least.shape[0]
    for lane in range(lanes):
        least[lane] = 0.0
    for j in range(dim):
        for lane in range(lanes):
            x[j, lane] = 0.0
        for lane in range(min(lanes, n - start)):
            x[j, lane] = features[start + lane, j, 0]
        for lane in range(lanes):
            least[lane] += x[j, lane] * x[j, lane]
    for lane in range(lanes):
        least[lane] *= tolerance * tolerance
