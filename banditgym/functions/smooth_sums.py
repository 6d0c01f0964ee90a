r"""Sums of smooth terms on the unit cube: their values, and their maxima with certainty.

A sum is of cosines, :math:`f(x) = \sum_j a_j \cos\langle\omega_j, x\rangle + b_j
\sin\langle\omega_j, x\rangle`, or of kernel sections, :math:`f(x) = \sum_j a_j k(c_j, x)`, RBF or
Matérn of :math:`\nu` = 3/2 or 5/2.

The maximum over :math:`[0, 1]^d` is found by branch and bound. A cell of centre c and half-width h
has, with gradient g and Hessian H at c and :math:`\lvert\delta_i\rvert \le h`,

.. math:: f(c + \delta) \le f(c) + \sum_i \max_{\lvert\delta_i\rvert \le h} \Bigl(g_i \delta_i
    + \tfrac12 \bigl(H_{ii} + \sum_{k \ne i} \lvert H_{ik}\rvert\bigr) \delta_i^2\Bigr) + r(h),

because :math:`2 \lvert\delta_i \delta_k\rvert \le \delta_i^2 + \delta_k^2`, where r bounds the
remainder of Taylor's formula. For a cosine of amplitude A, with :math:`z = h \lVert\omega\rVert_1`,
r is :math:`A \min(z^3/6, z^2)`; for a section, with :math:`\rho = h \sqrt d` and bounds L and T on
the second and third derivatives of k along a line, it is :math:`\lvert a\rvert \min(T \rho^3/6,
L \rho^2)`. Cells whose bound is at most the best value found plus the tolerance are dropped, and
the others are cut into :math:`2^d` cells, until none is left. Then no point of the cube is better
by more than the tolerance. The best value is that of an ascent from the best centre of each level.

Values are summed in the order of the terms, so the value at a point does not depend in any bit on
the other points.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import exp, sine_cosine_of_turns
from banditgym.functions.covariances import RBF, Matern

COSINES, RBFS, MATERN32S, MATERN52S = range(4)

_CELLS = 1 << 21  # most cells of a level; far more than any of our functions needs
_ASCENT = 200  # most steps of an ascent
_AT_ONCE = 64  # points whose sums are computed together, in the first-level cache


def kind_of(covariance: RBF | Matern) -> int:
    """The number by which kernels know sections of a covariance."""
    if isinstance(covariance, RBF):
        return RBFS
    return {1.5: MATERN32S, 2.5: MATERN52S}[covariance.nu]


@inlined
def _section(kind, square, length):
    """k(r), k'(r)/r and (k'(r)/r)'/r of variance 1 at the squared distance."""
    inverse = 1.0 / (length * length)
    if kind == RBFS:
        k = exp(-0.5 * inverse * square)
        return k, -inverse * k, inverse * inverse * k
    r = math.sqrt(square)
    if kind == MATERN32S:
        rate = math.sqrt(3.0) / length
        decay = exp(-rate * r)
        # The last is infinite at 0, where it is multiplied by the square of 0.
        bend = rate * rate * rate * decay / r if r > 0.0 else 0.0
        return (1.0 + rate * r) * decay, -rate * rate * decay, bend
    rate = math.sqrt(5.0) / length
    decay, c = exp(-rate * r), rate * r
    slope = rate * rate / 3.0
    return (1.0 + c + c * c / 3.0) * decay, -slope * (1.0 + c) * decay, slope * rate * rate * decay


@compiled
def fill_values(kind, length, terms, weights, points, out):
    """Write the values (m,) of a sum at points (d, m).

    Parameters
    ----------
    kind : int
        ``COSINES``, or the value of ``kind_of``.
    length : float
        Length-scale of sections; unused for cosines.
    terms : array (J, d)
        Frequencies in turns per unit, or centres.
    weights : array (J, 2)
        Weights of cosines and sines; for sections, the first column.
    """
    dim = terms.shape[1]
    for c in range(points.shape[1]):
        out[c] = 0.0
    for j in range(terms.shape[0]):
        first, second = weights[j, 0], weights[j, 1]
        for c in range(points.shape[1]):
            total = 0.0
            if kind == COSINES:
                for i in range(dim):
                    total += terms[j, i] * points[i, c]
                sine, cosine = sine_cosine_of_turns(total - math.floor(total))
                out[c] += first * cosine + second * sine
            else:
                for i in range(dim):
                    away = points[i, c] - terms[j, i]
                    total += away * away
                out[c] += first * _section(kind, total, length)[0]


@compiled
def _fill_jets(kind, length, terms, weights, points, out):
    """Write values, gradients and Hessians at points (d, m) to out (1 + d + d (d + 1) / 2, m)."""
    dim, count = points.shape
    room = min(count, _AT_ONCE)
    # Contiguous copies, along which loops are vectorised.
    x, jets = np.empty((dim, room)), np.empty((out.shape[0], room))
    total, along, bend = np.empty(room), np.empty(room), np.empty(room)
    for below in range(0, count, _AT_ONCE):
        size = min(_AT_ONCE, count - below)
        for i in range(dim):
            for c in range(size):
                x[i, c] = points[i, below + c]
        jets[:] = 0.0
        for j in range(terms.shape[0]):
            if kind == COSINES:
                _add_cosine(terms[j], weights[j, 0], weights[j, 1], x, size, total, bend, jets)
            else:
                scratch = total, along, bend
                _add_section(kind, length, terms[j], weights[j, 0], x, size, scratch, jets)
        for row in range(out.shape[0]):
            for c in range(size):
                out[row, below + c] = jets[row, c]


@inlined
def _add_cosine(frequency, first, second, x, size, total, bend, jets):
    dim, row = len(frequency), 1 + len(frequency)
    for c in range(size):
        total[c] = frequency[0] * x[0, c]
    for i in range(1, dim):
        for c in range(size):
            total[c] += frequency[i] * x[i, c]
    for c in range(size):
        sine, cosine = sine_cosine_of_turns(total[c] - math.floor(total[c]))
        value = first * cosine + second * sine
        jets[0, c] += value
        total[c] = 2.0 * math.pi * (second * cosine - first * sine)
        bend[c] = -(4.0 * math.pi * math.pi) * value
    for i in range(dim):
        here = frequency[i]
        for c in range(size):
            jets[1 + i, c] += total[c] * here
        for k in range(i, dim):
            both = here * frequency[k]
            for c in range(size):
                jets[row, c] += bend[c] * both
            row += 1


@inlined
def _add_section(kind, length, centre, weight, x, size, scratch, jets):
    total, along, bend = scratch
    dim, row = len(centre), 1 + len(centre)
    for c in range(size):
        total[c] = 0.0
    for i in range(dim):
        for c in range(size):
            away = x[i, c] - centre[i]
            total[c] += away * away
    for c in range(size):
        value, slope, turn = _section(kind, total[c], length)
        jets[0, c] += weight * value
        along[c] = weight * slope
        bend[c] = weight * turn
    for i in range(dim):
        here = centre[i]
        for c in range(size):
            jets[1 + i, c] += along[c] * (x[i, c] - here)
            jets[row, c] += along[c]
        for k in range(i, dim):
            there = centre[k]
            for c in range(size):
                jets[row, c] += bend[c] * ((x[i, c] - here) * (x[k, c] - there))
            row += 1


@inlined
def _remainder(kind, length, terms, weights, half):
    """A bound on the second-order Taylor remainder within a cell of half-width ``half``."""
    dim, total = terms.shape[1], 0.0
    reach = half * math.sqrt(float(dim))
    second, third = 1.0 / (length * length), 1.3802 / (length * length * length)
    if kind == MATERN32S:
        second, third = 3.0 * second, 10.3924 / (length * length * length)
    elif kind == MATERN52S:
        second, third = 1.66667 * second, 3.0 / (length * length * length)
    for j in range(terms.shape[0]):
        if kind == COSINES:
            norm = 0.0
            for i in range(dim):
                norm += abs(terms[j, i])
            z = 2.0 * math.pi * half * norm
            size = math.sqrt(weights[j, 0] * weights[j, 0] + weights[j, 1] * weights[j, 1])
            total += size * (z * z) * min(z / 6.0, 1.0)
        else:
            total += abs(weights[j, 0]) * (reach * reach) * min(third * reach / 6.0, second)
    return total


@inlined
def _model_bound(jets, c, dim, half):
    """An upper bound on the quadratic of jet c within a cell of half-width ``half``."""
    bound = jets[0, c]
    for i in range(dim):
        slope, bend = abs(jets[1 + i, c]), 0.0
        for k in range(dim):
            low, high = min(i, k), max(i, k)
            entry = jets[1 + dim + low * dim - low * (low - 1) // 2 + high - low, c]
            bend += entry if i == k else abs(entry)
        if bend < 0.0 and slope < -bend * half:
            bound += slope * slope / (-2.0 * bend)
        else:
            bound += slope * half + 0.5 * bend * half * half
    return bound


@compiled
def _climb(kind, length, terms, weights, x, jet):
    """Ascend from x (d, 1) to a local maximum in the cube, which becomes x, with its jet.

    Returns the number of points evaluated.
    """
    dim = x.shape[0]
    tried, other = np.empty((dim, 1)), np.empty(jet.shape)
    _fill_jets(kind, length, terms, weights, x, jet)
    share = 1.0
    for step in range(_ASCENT):
        moved = False
        for i in range(dim):
            bend = 0.0
            for k in range(dim):
                low, high = min(i, k), max(i, k)
                bend += abs(jet[1 + dim + low * dim - low * (low - 1) // 2 + high - low, 0])
            slope = jet[1 + i, 0]
            away = share * slope / bend if bend > 0.0 else slope
            tried[i, 0] = min(max(x[i, 0] + away, 0.0), 1.0)
            moved |= tried[i, 0] != x[i, 0]
        if not moved or share < 1e-6:
            return 1 + step
        _fill_jets(kind, length, terms, weights, tried, other)
        if other[0, 0] > jet[0, 0]:
            for i in range(dim):
                x[i, 0] = tried[i, 0]
            for row in range(jet.shape[0]):
                jet[row, 0] = other[row, 0]
            share = min(1.0, 2.0 * share)
        else:
            share *= 0.25
    return 1 + _ASCENT


@compiled
def maximise(kind, length, terms, weights, tolerance, best_point):
    """The largest value found of a sum on the unit cube, and the number of points evaluated.

    Except for rounding, no point of the cube is better by more than ``tolerance`` > 0;
    ``best_point`` (d,) becomes the point. If a level has more cells than there is room for, the
    number is -1 and nothing is certain.
    """
    dim = terms.shape[1]
    rows, children = 1 + dim + dim * (dim + 1) // 2, 1 << dim
    best, looked, half = -math.inf, 0, 0.5
    cells = np.full((dim, 1), 0.5)
    x, own = np.empty((dim, 1)), np.empty((rows, 1))
    best_point[:] = 0.5
    while True:
        count = cells.shape[1]
        jets = np.empty((rows, count))
        _fill_jets(kind, length, terms, weights, cells, jets)
        looked += count
        top = 0
        for c in range(count):
            if jets[0, c] > jets[0, top]:
                top = c
        known = looked > count  # an ascent from where the best point is would lead there again
        for i in range(dim):
            x[i, 0] = cells[i, top]
            known = known and abs(x[i, 0] - best_point[i]) <= 2.0 * half
        if not known or jets[0, top] > best:
            looked += _climb(kind, length, terms, weights, x, own)
            if own[0, 0] > best:
                best = own[0, 0]
                for i in range(dim):
                    best_point[i] = x[i, 0]
        rest = _remainder(kind, length, terms, weights, half)
        kept = 0
        for c in range(count):
            bound = rest + _model_bound(jets, c, dim, half)
            if bound > best + tolerance:
                for i in range(dim):
                    cells[i, kept] = cells[i, c]
                kept += 1
        if kept == 0:
            return best, looked
        if kept * children > _CELLS:
            return best, -1
        half *= 0.5
        finer = np.empty((dim, kept * children))
        for c in range(kept):
            for child in range(children):
                for i in range(dim):
                    side = half if (child >> i) & 1 else -half
                    finer[i, c * children + child] = cells[i, c] + side
        cells = finer
