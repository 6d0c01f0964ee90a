"""Thompson sampling on ridge regression, many rounds in one compiled loop."""

import numpy as np

from agents.agent import reject
from agents.numerics.choice import first_largest
from agents.numerics.ridge.factor import absorb, absorb_replicate, first_refused, longest_square
from agents.parts.estimators.ridge import FreshArms
from agents.parts.posterior_sampling import sample_means_by
from banditgym.compiled import compiled, inlined
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.streams import fill_normals_of_rounds

_NORMALS = 1 << 12  # drawn at once, which stay in a processor's first cache beside the states


def play_sampled_block(
    model: FreshArms,
    block: ArmsBlock | SlotsBlock,
    scales: tuple[np.ndarray, np.ndarray],
    draws: tuple[np.ndarray, np.ndarray],
    sampled: np.ndarray,
) -> np.ndarray:
    """Play the best arm of a sampled parameter and learn in each round; returns the arms (m, n).

    Parameters
    ----------
    scales : (ndarray of shape (c,), int64 ndarray of shape (n,))
        Scales of the posterior, and the index of each replicate's scale, which grows in place by 1
        with every reward that it learns.
    draws : (ndarray of shape (n, 2), ndarray of shape (n,))
        Keys of the normals, and the decision that the first round is.
    sampled : ndarray of shape (n, K)
        Overwritten with the sampled means of the last round.
    """
    of_rounds = block.kept if isinstance(block, SlotsBlock) else block.noise
    arms, given = np.empty(of_rounds.shape, np.int64), (scales, draws, sampled)
    if isinstance(block, SlotsBlock):
        mask = block.mask.view(bool)
        bad = _play_slots_block(model, given, block.features, mask, block.events, of_rounds, arms)
    else:
        bad = _play_arms_block(model, given, block.features, block.means, of_rounds, arms)
    reject(bad, "a feature")
    return arms


@compiled
def _play_arms_block(model, given, features, means, noise, arms):
    """Returns what the kernels within return of the first bad replicate, or -1."""
    ridge, upper, pivots, moment, _, _ = model
    rounds, n = arms.shape
    factor, longest = (upper, pivots, moment), longest_square(ridge)
    (_, at_scale), _, sampled = given
    scratch = _scratch(moment, rounds)
    learning = np.empty_like(moment[0]), np.empty_like(moment[0])
    everyone = np.ones(n, np.bool_)
    for t in range(rounds):
        at = min(t, features.shape[0] - 1)  # fixed arms are there once
        shown, chosen = features[at], arms[t]
        bad = _sample_round(factor, given, shown, t, scratch)
        if bad != -1:
            return bad
        for i in range(n):
            chosen[i] = first_largest(sampled[i])
        bad = first_refused(shown, chosen, everyone, longest)
        if bad != -1:
            return bad
        for i in range(n):
            reward = means[at, i, chosen[i]] + noise[t, i]
            absorb_replicate(factor, shown, i, chosen[i], reward, learning)
            at_scale[i] += 1
    return -1


@compiled
def _play_slots_block(model, given, features, mask, events, kept, slots):
    """As ``_play_arms_block``; a replicate learns only from a kept event that shows its slot."""
    ridge, upper, pivots, moment, _, _ = model
    rounds, n = slots.shape
    factor, scratch = (upper, pivots, moment), _scratch(moment, rounds)
    (_, at_scale), _, sampled = given
    matched, reward, score = np.empty(n, np.bool_), np.empty(n), np.empty(mask.shape[2])
    for t in range(rounds):
        bad = _sample_round(factor, given, features[t], t, scratch)
        if bad != -1:
            return bad
        for i in range(n):
            for k in range(score.shape[0]):
                score[k] = sampled[i, k] if mask[t, i, k] else -np.inf
            slots[t, i] = first_largest(score)
            matched[i] = kept[t, i] and slots[t, i] == events[t, 0]
            reward[i] = events[t, 1]
        bad = absorb(upper, pivots, moment, ridge, features[t], slots[t], reward, matched)
        if bad != -1:
            return bad
        for i in range(n):
            at_scale[i] += matched[i]
    return -1


@inlined
def _scratch(moment, rounds):
    """Normals of some rounds (c, n, d), a parameter (d,), and the decisions (n,) of a round."""
    n, dim = moment.shape
    some = min(rounds, max(1, _NORMALS // (n * dim)))
    return np.empty((some, n, dim)), np.empty(dim), np.empty(n, np.int64)


@inlined
def _sample_round(factor, given, features, t, scratch):
    """Write the sampled means (n, K) of round t of a block; returns as ``sample_means`` does."""
    (scales, at_scale), (keys, decisions), sampled = given
    normals, parameter, at = scratch
    some, n, _ = normals.shape
    if t % some == 0:
        for i in range(n):
            at[i] = decisions[i] + t
        fill_normals_of_rounds(keys, at, normals)
    for i in range(n):
        scale, drawn = scales[at_scale[i]], normals[t % some, i]
        if not sample_means_by(factor, i, scale, drawn, features, parameter, sampled):
            return i
    return -1
