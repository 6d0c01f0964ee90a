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

**Layout.** ``initial_factor`` makes a ``factor``, (groups, d (d + 5) / 2, lanes), an array of
plain numbers that is zero before any data. Replicates run along the last axis, so that one
instruction processes several: replicate i is lane i % lanes of group i // lanes. The middle axis
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

from banditgym.compiled import compiled, inlined
from banditgym.linalg.lanes import rotate_columns

_LANES = 128  # the largest number: a row of lanes for each column of x stays in the first cache
LONGEST_ROW = 1e140  # length of a row whose products cannot overflow


def initial_factor(n: int, dim: int, ridge: float = 0.0) -> np.ndarray:
    r"""The factor before any data, for n replicates of dimension ``dim``.

    With a ridge, the rows :math:`\sqrt\lambda I` with outcomes 0 count as absorbed: then mean and
    leverage are those of ridge regression.
    """
    groups = -(-n // _LANES)
    size = dim * (dim + 5) // 2
    factor = np.zeros((groups, size, -(-n // groups)))
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
    bad = first_refused(features, observed)
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    groups, _, lanes = factor.shape
    x, least = np.empty((dim + 1, lanes)), np.empty(lanes)
    weight, entry, keep, step = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for group in range(groups):
        rows, start = factor[group], group * lanes
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
            stop = at + dim - j
            rotate_columns(x[j + 1 :], rows[at:stop], entry, keep, step, False)
            at = stop
        for lane in range(present):
            residual[start + lane] = math.sqrt(weight[lane]) * x[dim, lane]
    return -1


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
    bad = first_refused(features, np.ones(n, np.bool_))
    if bad != -1:
        return bad
    groups, _, lanes = factor.shape
    x, least, entry = np.empty((dim + 1, lanes)), np.empty(lanes), np.empty(lanes)
    form, outside = np.empty(lanes), np.empty(lanes, np.bool_)
    for group in range(groups):
        rows, start = factor[group], group * lanes
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
    groups, _, lanes = factor.shape
    for group in range(groups):
        at = 0
        for j in range(dim):
            for lane in range(min(lanes, n - group * lanes)):
                if not factor[group, at, lane] > 0.0:
                    return False
            at += dim + 1 - j
    return True


@inlined
def first_refused(features, observed):
    """The first observed replicate whose row (d, 1) is refused, as ``absorb_row`` returns it."""
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
    # The rows of a group to x (d + 1, lanes), and the square below which an entry counts as zero.
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
