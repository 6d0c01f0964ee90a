"""Inlined functions for loops over replicates side by side, the last axis: the *lanes*."""

import numpy as np

from banditgym.compiled import borrowing, inlined


@inlined
def aligned(rows, lanes):
    """An array that begins on a cache line: if lanes are whole lines, no register spans two."""
    work = np.empty(rows * lanes + 7)
    skipped = -work.ctypes.data % 64 // 8
    return work[skipped : skipped + rows * lanes].reshape(rows, lanes)


@borrowing
def rotate_columns(x, row, entry, keep, step, near):
    """Rotate columns of the rows of all lanes, ``x`` (m, lanes), with those of the triangle's row.

    ``near`` says that keep > 1/2 in every lane, as it is after some rounds.
    """
    columns = np.uint64(x.shape[0])  # unsigned, as signed indices may count from the end
    if near:
        for c in range(columns):
            for lane in range(x.shape[1]):
                rest = x[c, lane] - entry[lane] * row[c, lane]
                x[c, lane] = rest
                row[c, lane] += step[lane] * rest
        return
    for c in range(columns):
        for lane in range(x.shape[1]):
            below, above = x[c, lane], row[c, lane]
            rest = below - entry[lane] * above
            close, far = above + step[lane] * rest, keep[lane] * above + step[lane] * below
            x[c, lane] = rest
            row[c, lane] = close if keep[lane] > 0.5 else far
