"""Weighted sums of rows of a matrix: the one from the first row on, the other four at a time."""

import numpy as np

from banditgym.compiled import inlined

_STRIP = 512  # arms combined at a time: the sum stays in the fastest cache


@inlined
def in_order(count):
    """The rows 0 .. ``count`` - 1."""
    rows = np.empty(count, np.int64)
    for j in range(count):
        rows[j] = j
    return rows


@inlined
def sum_rows(rows, chosen, weights, count, out):
    """``out = sum over j < count of weights[j] rows[chosen[j]]``, of the length of out."""
    width, whole = out.shape[0], count // 4 * 4
    for k in range(width):
        out[k] = 0.0
    for j in range(0, whole, 4):
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        row0, row1 = rows[chosen[j]], rows[chosen[j + 1]]
        row2, row3 = rows[chosen[j + 2]], rows[chosen[j + 3]]
        for k in range(width):
            out[k] += (w0 * row0[k] + w1 * row1[k]) + (w2 * row2[k] + w3 * row3[k])
    for j in range(whole, count):
        w0, row0 = weights[j], rows[chosen[j]]
        for k in range(width):
            out[k] += w0 * row0[k]


@inlined
def combine(rows, chosen, weights, count, out):
    """``out += sum over j < count of weights[j] rows[chosen[j]]``, up to the length of out."""
    for start in range(0, out.shape[0], _STRIP):
        stop = min(start + _STRIP, out.shape[0])
        j = 0
        while j + 7 < count:
            r0, r1, r2, r3 = chosen[j], chosen[j + 1], chosen[j + 2], chosen[j + 3]
            r4, r5, r6, r7 = chosen[j + 4], chosen[j + 5], chosen[j + 6], chosen[j + 7]
            w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
            w4, w5, w6, w7 = weights[j + 4], weights[j + 5], weights[j + 6], weights[j + 7]
            for k in range(start, stop):
                u = np.uint64(k)  # never negative, so that the loop is vectorised
                total = out[u] + w0 * rows[r0, u] + w1 * rows[r1, u] + w2 * rows[r2, u]
                total = total + w3 * rows[r3, u] + w4 * rows[r4, u] + w5 * rows[r5, u]
                out[u] = total + w6 * rows[r6, u] + w7 * rows[r7, u]
            j += 8
        while j < count:
            r0, w0 = chosen[j], weights[j]
            for k in range(start, stop):
                u = np.uint64(k)
                out[u] += w0 * rows[r0, u]
            j += 1
