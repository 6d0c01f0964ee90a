r"""The factor of ``factor.py`` for several replicates side by side, to the same bits.

The rotations of one replicate are a chain of divisions, each of which waits for the one before, and
the rows of U are short. Here replicates are the last axis of every array, the *lanes*, so that one
instruction processes several.

``rows`` (d, d + 1, lanes) hold U above its diagonal, and g in the last column; their other entries
are not read. ``pivots`` (2, d, lanes) are D and 1 / D.
"""

import numpy as np

from banditgym.compiled import borrowing
from banditgym.linalg.lanes import rotate_columns

LOOP_LANES = 16  # two registers, which a loop processes in each pass
_MOST = 64  # with more lanes a row of the factor leaves the first cache
_NEAR_CACHE = 1 << 20  # bytes of the replicates that play all rounds together


def lanes_together(n: int, dim: int, n_arms: int) -> int:
    """How many of n replicates with K > d fixed arms are side by side, a multiple of 16.

    Up to 15 that are left over join the last group. It is 0, which means one after the other, if
    there are fewer than 16 replicates, or if the arms of 16 do not fit into the cache. The rule for
    K <= d is ``fixed_arms_across.width``. Nanoseconds of a round of one of 96 replicates, first one
    after the other and then side by side, on a core with 1 MiB of second-level cache, as
    ``pytest tools/benchmarks/bench_lanes.py`` measures them::

        d=5   K=10   70  39    d=20  K=100   389  252    d=50  K=60    950  660
        d=10  K=30  160  80    d=20  K=200   511  456    d=50  K=100  1150  846
        d=20  K=30  284 130    d=20  K=400  1110 1040    d=100 K=200  3570 3770
    """
    held = 8 * (dim * (n_arms + dim) + 4 * n_arms)  # features, factor, four numbers of each arm
    sixteens, most = n // LOOP_LANES, min(_MOST, _NEAR_CACHE // held) // LOOP_LANES
    if not sixteens or not most:
        return 0
    return LOOP_LANES * -(-sixteens // -(-sixteens // most))


@borrowing
def move_all(rows, pivots, factors, first, back):
    """Copy the factors (n, ..), from replicate ``first`` on, into the lanes, or ``back``."""
    upper, diagonal, moment = factors
    dim = moment.shape[1]
    for lane in range(rows.shape[2]):
        i = first + lane
        for j in range(dim):
            _move(rows[j, dim:, lane], moment[i, j : j + 1], back)
            _move(rows[j, j + 1 : dim, lane], upper[i, j, j + 1 :], back)
            _move(pivots[:, j, lane], diagonal[i, :, j], back)


@borrowing
def _move(lane, own, back):
    for c in range(own.shape[0]):
        if back:
            own[c] = lane[c]
        else:
            lane[c] = own[c]


@borrowing
def rotate_across(rows, pivots, x, weight, keep, steps):
    """``rotate`` in every lane: adds the samples ``x`` (d + 1, lanes), whose last row has rewards.

    Their weights are 1. Overwrites ``x``, writes ``steps`` (d, lanes) and the remaining weights
    (lanes,); ``keep`` (lanes,) is scratch.
    """
    for lane in range(weight.shape[0]):
        weight[lane] = 1.0
    for j in range(rows.shape[0]):
        near = _divide_once(x[j], pivots[0, j], pivots[1, j], weight, keep, steps[j])
        rotate_columns(x[j + 1 :], rows[j, j + 1 :], x[j], keep, steps[j], near)


@borrowing
def _divide_once(entry, pivots, reciprocals, weight, keep, step):
    """Pivots, weights, keep and step of a rotation; returns whether keep > 1/2 in every lane.

    As ``factor.rotate`` does; ``triangular_rounds._divide_twice`` gives other bits.
    """
    far = 0
    for lane in range(entry.shape[0]):
        pivot, lifted = pivots[lane], weight[lane] * entry[lane]
        total = pivot + lifted * entry[lane]
        reciprocal = 1.0 / total
        kept = pivot * reciprocal
        pivots[lane] = total
        reciprocals[lane] = reciprocal
        keep[lane] = kept
        step[lane] = lifted * reciprocal
        weight[lane] *= kept
        far += not kept > 0.5
    return far == 0


@borrowing
def solve_across(rows, u):
    """``solve_upper`` in every lane of ``u`` (d, lanes), with the products in the same order."""
    dim = u.shape[0]
    for r in range(dim - 1, -1, -1):
        # Rows are solved in fours, the last four first; columns after a row's four come first.
        behind = dim - (dim - 1 - r) // 4 * 4 if r >= dim % 4 else r + 1
        _subtract(u[r], rows[r, behind:dim], u[behind:])
        for c in range(behind - 1, r, -1):
            _subtract(u[r], rows[r, c : c + 1], u[c : c + 1])


@borrowing
def _subtract(sums, left, right):
    for c in range(np.uint64(right.shape[0])):
        for lane in range(sums.shape[0]):
            sums[lane] -= left[c, lane] * right[c, lane]
