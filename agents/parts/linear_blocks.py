"""Optimistic and greedy play on ridge regression, many rounds in one compiled loop."""

from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.numerics.choice import (
    first_largest,
    most_optimistic,
    most_optimistic_into,
    optimistic_arm,
)
from agents.numerics.ridge.factor import absorb, absorb_replicate, first_refused, longest_square
from agents.numerics.ridge.factor_across import (
    LOOP_LANES,
    lanes_together,
    move_all,
    rotate_across,
    solve_across,
)
from agents.numerics.ridge.factor_predictions import (
    cause,
    predict,
    predict_replicate,
    prediction_scratch,
)
from agents.numerics.ridge.fixed_arms_across import play_few_arms_block_across, width
from agents.numerics.ridge.fixed_arms_updates import (
    absorb_fixed_one,
    absorb_kernel_one,
    compute_afresh,
    compute_fallen,
    fixed_scratch,
    shift_arms,
)
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.ridge import FreshArms
from agents.parts.estimators.row_blocks import play_rows_block
from agents.parts.estimators.row_regression import Rows
from banditgym.compiled import borrowing, compiled
from banditgym.linalg.lanes import aligned
from banditgym.rounds.blocks import ArmsBlock, RowsBlock, SlotsBlock

FIRST_CACHE = 1 << 14  # bytes of states that stay in a processor's first cache, beside the rounds


class Lanes(NamedTuple):
    """What a group of replicates keeps in lanes while it plays a block.

    Attributes
    ----------
    rows, pivots : ndarray of shape (d, d + 1, lanes) and (2, d, lanes)
        The factor, as in ``agents.numerics.ridge.factor_across``.
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


def play_optimistic_block(
    model: FreshArms | FixedArms | FewFixedArms | Rows,
    block: ArmsBlock | SlotsBlock,
    radius: np.ndarray,
) -> np.ndarray:
    """Play ``most_optimistic`` and learn in each round of a block; returns the arms (m, n)."""
    if isinstance(block, SlotsBlock):
        return _play_slots_block(model, block, radius)
    if isinstance(model, Rows):  # one arm
        rewards = block.means[:, :, 0] + block.noise
        play_rows_block(
            model, RowsBlock(start=block.start, features=block.features, outcomes=rewards), None
        )
        return np.zeros(rewards.shape, np.int64)
    arms = np.empty(block.noise.shape, np.int64)
    if isinstance(model, FreshArms):
        bad = _play_fresh_arms_block(model, radius, block.features, block.means, block.noise, arms)
        reject(bad, "a feature")
        return arms
    model.predict(block.features[0])  # so that it knows the arms
    given = model[:], radius, block.means, block.noise, arms
    if isinstance(model, FixedArms):
        if together := lanes_together(*model.features.shape):
            play_fixed_arms_block_across(*given, together)
        else:
            _play_fixed_arms_block(*given)
    elif together := width(*model.mean.shape):
        play_few_arms_block_across(*given, together)
    else:
        _play_few_arms_block(*given)
    return arms


@compiled
def _play_fresh_arms_block(model, radius, features, means, noise, arms):
    """Returns what the kernels within return of the first bad replicate, or -1."""
    ridge, upper, pivots, moment, mean, variance = model
    rounds, n = arms.shape
    factor, score, longest = (upper, pivots, moment), np.empty(mean.shape[1]), longest_square(ridge)
    predicting, learning = prediction_scratch(features[0]), np.empty((2, upper.shape[1]))
    everyone, scratch = np.ones(n, np.bool_), (learning[0], learning[1])
    for t in range(rounds):
        shown, chosen = features[t], arms[t]
        for i in range(n):
            if not predict_replicate(factor, shown, i, mean, variance, predicting):
                return cause(shown, i)
            chosen[i] = optimistic_arm(mean[i], variance[i], radius[i], score)
        bad = first_refused(shown, chosen, everyone, longest)
        if bad != -1:
            return bad
        for i in range(n):
            reward = means[t, i, chosen[i]] + noise[t, i]
            absorb_replicate(factor, shown, i, chosen[i], reward, scratch)
    return -1


@compiled
def _play_fixed_arms_block(arrays, radius, means, noise, arms):
    mean, variance, features = arrays[1], arrays[2], arrays[4]
    scratch, score = fixed_scratch(arrays), np.empty(mean.shape[1])
    rounds, n = arms.shape
    together = _neighbours(features[0].size + mean.shape[1])
    for first in range(0, n, together):
        for t in range(rounds):
            for i in range(first, min(first + together, n)):
                arm = optimistic_arm(mean[i], variance[i], radius[i], score)
                absorb_fixed_one(arrays, i, arm, means[0, i, arm] + noise[t, i], scratch)
                arms[t, i] = arm


@compiled
def play_fixed_arms_block_across(arrays, radius, means, noise, arms, together):
    """The same bits as ``_play_fixed_arms_block``, with ``together`` replicates side by side.

    If fewer than 16 would be left over, they join the last group.
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


@compiled
def _play_few_arms_block(arrays, radius, means, noise, arms):
    mean, variance, kernel = arrays[1], arrays[2], arrays[5]
    c, score = np.empty(mean.shape[1]), np.empty(mean.shape[1])
    rounds, n = arms.shape
    together = _neighbours(kernel[0].size)
    for first in range(0, n, together):
        for t in range(rounds):
            for i in range(first, min(first + together, n)):
                arm = optimistic_arm(mean[i], variance[i], radius[i], score)
                if absorb_kernel_one(arrays, i, arm, means[0, i, arm] + noise[t, i], c):
                    compute_afresh(arrays, i)
                arms[t, i] = arm


@borrowing
def _neighbours(numbers):
    """How many replicates play all rounds before the next ones; each has ``numbers`` in cache."""
    return max(1, FIRST_CACHE // (8 * numbers))


def _play_slots_block(
    model: FreshArms | FixedArms | FewFixedArms | Rows, block: SlotsBlock, radius: np.ndarray
) -> np.ndarray:
    """Play slots (m, n) and learn from those that match the log, where the set of arms changes."""
    slots = np.empty(block.kept.shape, np.int64)
    mask = block.mask.view(bool)
    if isinstance(model, FreshArms):
        given = block.features, mask, block.events, block.kept
        bad = _play_fresh_slots_block(model, radius, *given, slots)
        reject(bad, "a feature")
        return slots
    for t, features in enumerate(block.features):  # a single slot
        mean, variance = model.predict(features)
        slots[t] = most_optimistic(mean, variance, radius, mask[t])
        shown, click = block.events[t]
        matched = block.kept[t] & (slots[t] == shown)
        model.update(features, slots[t], np.full(matched.shape, float(click)), matched)
    return slots


@compiled
def _play_fresh_slots_block(model, radius, features, mask, events, kept, slots):
    """Returns what the kernels within return of the first bad replicate, or -1."""
    ridge, upper, pivots, moment, mean, variance = model
    rounds, n = slots.shape
    score, matched, reward = np.empty_like(mean), np.empty(n, np.bool_), np.empty(n)
    for t in range(rounds):
        bad = predict(upper, pivots, moment, features[t], mean, variance)
        if bad != -1:
            return bad
        for i in range(n):
            for k in range(mean.shape[1]):
                score[i, k] = mean[i, k] if mask[t, i, k] else -np.inf
        most_optimistic_into(score, variance, radius, slots[t])
        for i in range(n):
            matched[i] = kept[t, i] and slots[t, i] == events[t, 0]
            reward[i] = events[t, 1]
        bad = absorb(upper, pivots, moment, ridge, features[t], slots[t], reward, matched)
        if bad != -1:
            return bad
    return -1
