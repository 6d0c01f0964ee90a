r"""Optimistic play of K > d fixed arms in many rounds, with the replicates side by side.

The arithmetic is that of ``optimistic_arm`` and ``absorb_fixed_one``, to the same bits.

The rotations of one replicate are a chain of divisions, each of which waits for the one before, and
the rows of U are short. Here replicates are the last axis of every array, the *lanes*, so that one
instruction processes several.

``rows`` (d, d + 1, lanes) hold U above its diagonal, and g in the last column; their other entries
are not read. ``pivots`` (2, d, lanes) are D and 1 / D.
"""

from typing import NamedTuple

import numpy as np

from agents.drivers.rule import first_largest
from agents.numerics.choice import optimistic_arm
from agents.numerics.ridge.fixed_arms_updates import compute_fallen, shift_arms
from banditgym.compiled import borrowing, compiled
from banditgym.linalg.lanes import aligned, rotate_columns

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


class Lanes(NamedTuple):
    """What a group of replicates keeps in lanes while it plays a block.

    Attributes
    ----------
    rows, pivots : ndarray of shape (d, d + 1, lanes) and (2, d, lanes)
        The factor, as above.
    x : ndarray of shape (d + 1, lanes)
        Features of the arms played, above their rewards.
    solved : ndarray of shape (d, lanes)
        :math:`V^{-1} x_a`.
    scalars : ndarray of shape (3, lanes)
        Remaining weights, scratch, and :math:`y - m_a`.
    score : ndarray of shape (K,)
        Scratch of a choice.
    """

    rows: np.ndarray
    pivots: np.ndarray
    x: np.ndarray
    solved: np.ndarray
    scalars: np.ndarray
    score: np.ndarray


@compiled
def play_fixed_arms_block_across(arrays, radius, means, noise, arms, together):
    """Play K > d fixed arms for m rounds, ``together`` replicates side by side; writes arms (m, n).

    ``arrays`` are those of a ``FixedArms`` of ``agents.parts.estimators.fixed_arms``, ``means``
    (1, n, K) and ``noise`` (m, n) those of an ``ArmsBlock``. If fewer than 16 replicates would be
    left over, they join the last group.
    """
    _, dim, n_arms = arrays[4].shape
    rounds, n = arms.shape
    score, first = aligned(1, n_arms), 0
    while first < n:
        lanes = together if first + together + LOOP_LANES <= n else n - first
        rows = aligned(dim * (dim + 1), lanes).reshape(dim, dim + 1, lanes)
        pivots = aligned(2 * dim, lanes).reshape(2, dim, lanes)
        x, steps, scalars = aligned(dim + 1, lanes), aligned(dim, lanes), aligned(3, lanes)
        move_all(rows, pivots, arrays[5:], first, False)
        kept = Lanes(rows, pivots, x, steps, scalars, score[0])
        for t in range(rounds):
            _shift_and_choose_each(arrays, radius, means, noise, arms, t, first, kept)
            rotate_across(rows, pivots, x, scalars[0], scalars[1], steps)
            solve_across(rows, steps)
        _shift_and_choose_each(arrays, radius, means, noise, arms, rounds, first, kept)
        move_all(rows, pivots, arrays[5:], first, True)
        first += lanes


@borrowing
def _shift_and_choose_each(arrays, radius, means, noise, arms, t, first, lanes):
    """Lane by lane: learn from round t - 1, if t > 0, and choose in round t, if the block has it.

    Both read the same arms; the second read is from the first cache.
    """
    mean, variance, computed, features = arrays[1], arrays[2], arrays[3], arrays[4]
    rows, pivots, x, u, scalars, score = lanes
    for lane in range(x.shape[1]):
        i, scored = first + lane, False
        if t > 0:
            step, of_arms = (scalars[2, lane], 1.0 / scalars[0, lane]), features[i]
            scored = not shift_arms(
                mean[i], variance[i], computed[i], of_arms, u[:, lane], step, score, radius[i]
            )
            if not scored:
                factor = rows[:, :, lane], pivots[:, :, lane], rows[:, -1, lane]
                compute_fallen(arrays, i, *factor, u[:, lane])
        if t < arms.shape[0]:
            if scored:
                arm = first_largest(score)
            else:
                arm = optimistic_arm(mean[i], variance[i], radius[i], score)
            arms[t, i], reward = arm, means[0, i, arm] + noise[t, i]
            x[-1, lane], scalars[2, lane] = reward, reward - mean[i, arm]
            for j in range(features.shape[1]):
                x[j, lane] = features[i, j, arm]


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
