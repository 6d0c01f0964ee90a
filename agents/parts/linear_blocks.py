"""Optimistic and greedy play on ridge regression, many rounds in one compiled loop."""

import numpy as np

from agents.agent import reject
from agents.numerics.choice import most_optimistic, most_optimistic_into, optimistic_arm
from agents.numerics.factor import absorb, absorb_replicate, first_refused, longest_square
from agents.numerics.factor_predictions import (
    cause,
    predict,
    predict_replicate,
    prediction_scratch,
)
from agents.numerics.fixed_arms_across import play_across, width
from agents.numerics.fixed_arms_updates import (
    absorb_fixed_one,
    absorb_kernel_one,
    compute_afresh,
    fixed_scratch,
)
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.ridge import FreshArms
from agents.parts.estimators.row_blocks import play_rows
from agents.parts.estimators.row_regression import Rows
from banditgym.blocks import ArmsBlock, RowsBlock, SlotsBlock
from banditgym.compiled import borrowing, compiled

FIRST_CACHE = 1 << 14  # bytes of states that stay in a processor's first cache, beside the rounds


def play_most_optimistic(
    model: FreshArms | FixedArms | FewFixedArms | Rows,
    block: ArmsBlock | SlotsBlock,
    radius: np.ndarray,
) -> np.ndarray:
    """Play ``most_optimistic`` and learn in each round of a block; returns the arms (m, n)."""
    if isinstance(block, SlotsBlock):
        return _play_slots(model, block, radius)
    if isinstance(model, Rows):  # one arm
        rewards = block.means[:, :, 0] + block.noise
        play_rows(
            model, RowsBlock(start=block.start, features=block.features, outcomes=rewards), None
        )
        return np.zeros(rewards.shape, np.int64)
    arms = np.empty(block.noise.shape, np.int64)
    if isinstance(model, FreshArms):
        bad = _play_fresh(model, radius, block.features, block.means, block.noise, arms)
        reject(bad, "a feature")
        return arms
    model.predict(block.features[0])  # so that it knows the arms
    given = model[:], radius, block.means, block.noise, arms
    if isinstance(model, FixedArms):
        play_fixed(*given)
    elif together := width(*model.mean.shape):
        play_across(*given, together)
    else:
        _play_few_fixed(*given)
    return arms


@compiled
def _play_fresh(model, radius, features, means, noise, arms):
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
def play_fixed(arrays, radius, means, noise, arms):
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
def _play_few_fixed(arrays, radius, means, noise, arms):
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


def _play_slots(
    model: FreshArms | FixedArms | FewFixedArms | Rows, block: SlotsBlock, radius: np.ndarray
) -> np.ndarray:
    """Play slots (m, n) and learn from those that match the log, where the set of arms changes."""
    slots = np.empty(block.kept.shape, np.int64)
    mask = block.mask.view(bool)
    if isinstance(model, FreshArms):
        bad = _play_masked(model, radius, block.features, mask, block.events, block.kept, slots)
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
def _play_masked(model, radius, features, mask, events, kept, slots):
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
