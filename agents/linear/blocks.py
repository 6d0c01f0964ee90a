"""Optimism and greed on ridge regression, many rounds in one compiled loop."""

import numpy as np

from agents.agent import reject
from agents.estimators.blocks import play_rows
from agents.estimators.ridge import FixedArms, FreshArms
from agents.estimators.rows import Rows
from agents.linear.rules import most_optimistic_into
from banditgym.blocks import ArmsBlock, RowsBlock
from banditgym.compiled import compiled
from banditgym.linalg.inverse import absorb_kernel, predict
from banditgym.linalg.unseen import absorb_fixed_unseen, absorb_unseen, add_unseen


def play_most_optimistic(
    model: FreshArms | FixedArms | Rows, block: ArmsBlock, radius: np.ndarray
) -> np.ndarray:
    """Arms (m, n) of ``most_optimistic`` round by round, each of them learned.

    Where nothing is unseen any more, the kernels for the time before that do what those for the
    time after do.
    """
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
