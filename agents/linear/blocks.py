"""Optimism and greed on ridge regression, many rounds in one compiled loop."""

import numpy as np

from agents.agent import reject
from agents.choice import most_optimistic, most_optimistic_into
from agents.estimators.blocks import play_rows
from agents.estimators.ridge import FixedArms, FreshArms
from agents.estimators.rows import Rows
from banditgym.blocks import ArmsBlock, RowsBlock, SlotsBlock
from banditgym.compiled import compiled
from banditgym.linalg.inverse import absorb_kernel, predict
from banditgym.linalg.unseen import absorb_fixed_unseen, absorb_unseen, add_unseen


def play_most_optimistic(
    model: FreshArms | FixedArms | Rows, block: ArmsBlock | SlotsBlock, radius: np.ndarray
) -> np.ndarray:
    """Arms (m, n) of ``most_optimistic`` round by round, each of them learned.

    Where nothing is unseen any more, the kernels for the time before that do what those for the
    time after do.
    """
    if isinstance(block, SlotsBlock):
        return _play_slots(model, block, radius)
    if isinstance(model, Rows):  # of one arm
        rewards = block.means[:, :, 0] + block.noise
        play_rows(
            model, RowsBlock(start=block.start, features=block.features, outcomes=rewards), None
        )
        return np.zeros(rewards.shape, np.int64)
    arms = np.empty(block.noise.shape, np.int64)
    everyone = np.ones(len(radius), bool)
    if isinstance(model, FreshArms):
        bad = _play_fresh(
            model.seen, model.unseen, model.rank, model.ridge, model.theta, model.log_det,
            model.mean, model.variance, radius, everyone, block.features, block.means,
            block.noise, arms,
        )  # fmt: skip
        model.spanned = bool(model.rank.min() == block.features.shape[2])
        reject(bad, "a feature")
        return arms
    model.predict(block.features[0])  # which meets the arms
    by_kernel = model.independent if model.seen.size else everyone
    _play_fixed(
        model.kernel, by_kernel, model.seen, model.unseen, model.rank, model.ridge,
        ~model.independent, model.mean, model.variance, model.log_det, model.features, radius,
        block.means, block.noise, arms,
    )  # fmt: skip
    if model.seen.size:
        rest = model.rank[~model.independent]
        model.spanned = bool(rest.min() == block.features.shape[2])
    return arms


@compiled
def _play_fresh(
    seen, unseen, rank, ridge, theta, log_det, mean, variance, radius, everyone, features, means,
    noise, arms,
):  # fmt: skip
    """Returns what the kernels within return of the first bad replicate, or -1."""
    rounds, n = arms.shape
    reward = np.empty(n)
    for t in range(rounds):
        x, played = features[t], arms[t]
        bad = predict(seen, theta, x, mean, variance)
        if bad >= 0:
            return bad
        bad = add_unseen(unseen, rank, ridge, x, variance)
        if bad >= 0:
            return -2 - bad
        most_optimistic_into(mean, variance, radius, played)
        for i in range(n):
            reward[i] = means[t, i, played[i]] + noise[t, i]
        bad = absorb_unseen(
            seen, unseen, rank, ridge, theta, log_det, x, played, reward, everyone
        )  # fmt: skip
        if bad != -1:
            return bad
    return -1


def _play_slots(
    model: FreshArms | FixedArms | Rows, block: SlotsBlock, radius: np.ndarray
) -> np.ndarray:
    """Slots (m, n) where arms come and go, those that match what is shown learned."""
    slots = np.empty(block.shown.shape, np.int64)
    mask = block.mask.view(bool)
    if isinstance(model, FreshArms):
        bad = _play_masked(
            model.seen, model.unseen, model.rank, model.ridge, model.theta, model.log_det,
            model.mean, model.variance, radius, block.features, mask, block.shown, block.clicks,
            block.kept, slots,
        )  # fmt: skip
        model.spanned = bool(model.rank.min() == block.features.shape[2])
        reject(bad, "a feature")
        return slots
    for t, features in enumerate(block.features):  # of a single slot
        mean, variance = model.predict(features)
        slots[t] = most_optimistic(mean, variance, radius, mask[t])
        matched = block.kept[t] & (slots[t] == block.shown[t])
        model.update(features, slots[t], block.clicks[t], matched)
    return slots


@compiled
def _play_masked(
    seen, unseen, rank, ridge, theta, log_det, mean, variance, radius, features, mask, shown,
    clicks, kept, slots,
):  # fmt: skip
    """Returns what the kernels within return of the first bad replicate, or -1."""
    rounds, n = slots.shape
    score = np.empty_like(mean)
    matched, reward = np.empty(n, np.bool_), np.empty(n)
    for t in range(rounds):
        x, played = features[t], slots[t]
        bad = predict(seen, theta, x, mean, variance)
        if bad >= 0:
            return bad
        bad = add_unseen(unseen, rank, ridge, x, variance)
        if bad >= 0:
            return -2 - bad
        for i in range(n):
            for k in range(mean.shape[1]):
                score[i, k] = mean[i, k] if mask[t, i, k] else -np.inf
        most_optimistic_into(score, variance, radius, played)
        for i in range(n):
            matched[i] = kept[t, i] and played[i] == shown[t, i]
            reward[i] = clicks[t, i]  # what is read-only would be another type to kernels
        bad = absorb_unseen(
            seen, unseen, rank, ridge, theta, log_det, x, played, reward, matched
        )  # fmt: skip
        if bad != -1:
            return bad
    return -1


@compiled
def _play_fixed(
    kernel, by_kernel, seen, unseen, rank, ridge, by_inverse, mean, variance, log_det, features,
    radius, means, noise, arms,
):  # fmt: skip
    rounds, n = arms.shape
    reward = np.empty(n)
    for t in range(rounds):
        played = arms[t]
        most_optimistic_into(mean, variance, radius, played)
        for i in range(n):
            reward[i] = means[0, i, played[i]] + noise[t, i]
        if kernel.size > 0:
            absorb_kernel(kernel, mean, variance, log_det, played, reward, by_kernel)
        if seen.size > 0:
            absorb_fixed_unseen(
                seen, unseen, rank, ridge, mean, variance, log_det, features, played, reward,
                by_inverse,
            )  # fmt: skip
