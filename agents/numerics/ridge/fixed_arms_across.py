r"""Optimistic play of K <= d fixed arms in many rounds, with the replicates side by side.

The arithmetic is that of ``optimistic_arm`` and ``absorb_kernel_one`` for one replicate, to the
same bits. But a row of K numbers fills few registers, and a round of one replicate is a chain of a
choice, a root and two divisions. Here replicates are the last axis of every array, the *lanes*, so
that one instruction processes several; and of the symmetric C only the upper half is computed.
"""

import math

import numpy as np

from agents.numerics.ridge.fixed_arms_updates import (
    STEEP,
    compute_afresh,
    count_sample,
    kernel_scratch,
)
from banditgym.compiled import borrowing, compiled
from banditgym.streams import REGISTER

_NEAR_CACHE = 1 << 19  # bytes of the lanes that play all rounds


def width(n: int, n_arms: int) -> int:
    """How many of n replicates play side by side; 0 if one after the other is faster.

    It is 0 if fewer than 8 lanes, or fewer than K / 2, fit into the cache. Microseconds of a round
    of all replicates, first one after the other and then side by side, on a core with 1 MiB of
    second-level cache::

        K=10   n=4 0.20 0.21   n=8 0.38 0.27   n=32 1.5 0.74   n=100 5.1 2.2   n=300 15 7.0
        K=30   n=8 1.1 1.1     n=48 6.9 4.4    n=100 14 9.4
        K=100  n=8 6.2 9.8     n=30 27 60
    """
    held = 8 * (n_arms * (n_arms + 1) // 2 + 4 * n_arms)
    most = min(n, _NEAR_CACHE // held)
    return -(-n // -(-n // most)) if most >= REGISTER and 2 * most >= n_arms else 0


@compiled
def play_few_arms_block_across(arrays, radius, means, noise, arms, together):
    """Play m rounds, ``together`` replicates at a time, and write the arms (m, n) that are played.

    ``arrays`` are those of a ``FewFixedArms`` of ``agents.parts.estimators.fixed_arms``, ``means``
    (1, n, K) and ``noise`` (m, n) those of an ``ArmsBlock``.
    """
    mean, variance, computed, kernel = arrays[1], arrays[2], arrays[3], arrays[5]
    rounds, n = arms.shape
    n_arms = mean.shape[1]
    place, afresh = _places(n_arms), kernel_scratch(arrays)
    for first in range(0, n, together):
        count = min(together, n - first)
        lanes = -(-count // REGISTER) * REGISTER  # those beyond the count stay zero
        state = np.zeros((3, n_arms, lanes)), np.zeros((n_arms * (n_arms + 1) // 2, lanes))
        c, scratch, arm = np.zeros((n_arms, lanes)), np.zeros((5, lanes)), np.zeros(lanes, np.int64)
        for lane in range(count):
            scratch[0, lane] = radius[first + lane]
            _take(arrays, first + lane, state, lane, place)
        for t in range(rounds):
            _choose(state, scratch, arm)
            for lane in range(count):
                i, a = first + lane, arm[lane]
                reward = means[0, i, a] + noise[t, i]
                arms[t, i] = a
                form = state[1][place[a, a], lane]
                count_sample(arrays, i, a, reward, form)
                scratch[2, lane], scratch[3, lane] = form, reward - state[0][0, a, lane]
                for k in range(n_arms):
                    c[k, lane] = state[1][place[a, k], lane]
            if _absorb(state, c, scratch):
                for lane in range(count):
                    if _has_fallen(state[0], lane):
                        compute_afresh(arrays, first + lane, afresh)
                        _take(arrays, first + lane, state, lane, place)
        for lane in range(count):
            for k in range(n_arms):
                mean[first + lane, k] = state[0][0, k, lane]
                variance[first + lane, k] = state[0][1, k, lane]
                computed[first + lane, k] = state[0][2, k, lane]
                for r in range(n_arms):
                    kernel[first + lane, r, k] = state[1][place[r, k], lane]


@compiled
def _places(n_arms):
    """Where the entries (r, k) of C lie, whose upper half is kept row by row: (K, K)."""
    place, at = np.empty((n_arms, n_arms), np.int64), 0
    for r in range(n_arms):
        for k in range(r, n_arms):
            place[r, k] = place[k, r] = at
            at += 1
    return place


@borrowing
def _take(arrays, i, state, lane, place):
    """Copy the state of replicate i to a lane."""
    mean, variance, computed, kernel = arrays[1], arrays[2], arrays[3], arrays[5]
    moments, products = state
    for k in range(mean.shape[1]):
        moments[0, k, lane] = mean[i, k]
        moments[1, k, lane] = variance[i, k]
        moments[2, k, lane] = computed[i, k]
        for r in range(k + 1):
            products[place[r, k], lane] = kernel[i, r, k]


@borrowing
def _choose(state, scratch, arm):
    """Write the most optimistic arm of every lane."""
    radius, best = scratch[0], scratch[1]
    mean, variance = state[0][0], state[0][1]
    for lane in range(best.shape[0]):
        best[lane] = -math.inf
        arm[lane] = 0
    for k in range(mean.shape[0]):
        _raise(mean[k], variance[k], radius, k, best, arm)


@borrowing
def _raise(mean, variance, radius, k, best, arm):
    for lane in range(best.shape[0]):
        score = mean[lane] + radius[lane] * math.sqrt(max(variance[lane], 0.0))
        larger = score > best[lane]
        best[lane] = score if larger else best[lane]
        arm[lane] = k if larger else arm[lane]


@borrowing
def _absorb(state, c, scratch):
    """Learn from c = C[a], the forms and the errors; returns whether a variance has fallen."""
    moments, products = state
    form, step, root = scratch[2], scratch[3], scratch[4]
    _divide(form, step, root)
    fallen = 0
    for k in range(c.shape[0]):
        fallen += _move(moments[0, k], moments[1, k], moments[2, k], c[k], step, root)
    at = 0
    for r in range(c.shape[0]):
        _subtract_square(products[at], c[r])
        at += 1
        for k in range(r + 1, c.shape[0]):
            _subtract_product(products[at], c[r], c[k])
            at += 1
    return fallen > 0


@borrowing
def _divide(form, step, root):
    for lane in range(form.shape[0]):
        step[lane] /= 1.0 + form[lane]
        root[lane] = 1.0 / math.sqrt(1.0 + form[lane])


@borrowing
def _move(mean, variance, computed, c, step, root):
    fallen = 0
    for lane in range(mean.shape[0]):
        mean[lane] += step[lane] * c[lane]
        c[lane] *= root[lane]
        variance[lane] -= c[lane] * c[lane]
        fallen += STEEP * variance[lane] < computed[lane]
    return fallen


@borrowing
def _subtract_square(entry, c):
    for lane in range(entry.shape[0]):
        entry[lane] -= c[lane] * c[lane]


@borrowing
def _subtract_product(entry, left, right):
    for lane in range(entry.shape[0]):
        entry[lane] -= left[lane] * right[lane]


@borrowing
def _has_fallen(moments, lane):
    fallen = 0
    for k in range(moments.shape[1]):
        fallen += STEEP * moments[1, k, lane] < moments[2, k, lane]
    return fallen > 0
