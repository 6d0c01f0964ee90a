"""Plays blocks of points for agents that explore a basis in cycles.

Whether a round explores does not depend on the estimate. So all rounds of a block are played first,
and the agent then learns all their samples at once.
"""

import numpy as np

from agents.parts.cycles import go_on, next_sample
from banditgym.compiled import borrowing, compiled
from banditgym.rounds.blocks import PointsBlock


def play_points(
    cycles: tuple[np.ndarray, np.ndarray, int], block: PointsBlock
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play all rounds of a block; ``cycles`` are as ``agents.parts.cycles.go_on`` takes them.

    Returns ``which`` of ``PlayedPoints``, whose ``others`` are the best point before the block and
    the one after each exploration that ends in it; and ``samples`` (3, n) and ``rewards`` (n, m),
    as ``BasisExploration._learn_samples`` takes them.
    """
    rounds, n = block.noise.shape
    # Replicates in the same place of the same cycle stay so: then one column serves all.
    alike = all((part == part[0]).all() for part in cycles[:2])
    which = np.empty((rounds, 1 if alike else n), np.int64)
    samples, rewards = np.empty((3, n), np.int64), np.empty((n, rounds))
    _play(cycles, (block.means, block.noise), which, samples, rewards)
    return which, samples, rewards


@compiled
def _play(cycles, block, which, samples, rewards):
    (place, cycle, _), dim = cycles, block[0].shape[1]
    rounds, n = block[1].shape
    for i in range(n):
        samples[0, i] = next_sample(place, cycle, dim, i)
        samples[1, i] = samples[2, i] = 0
    played = np.zeros(n, np.int64)
    while played.min() < rounds:  # in turn, since replicates mostly explore in the same rounds
        for i in range(n):
            played[i] += _explore_or_exploit(cycles, block, i, played[i], which, samples, rewards)


@borrowing
def _explore_or_exploit(cycles, block, i, t, which, samples, rewards):
    """Replicate i plays the rest of an exploration or exploitation from round t on.

    Returns the number of rounds.
    """
    place, cycle, last = cycles
    means, noise = block
    dim, k = means.shape[1], place[i]
    first = k if k < dim else dim + samples[2, i]
    rounds = go_on(place, cycle, last, dim, i, which.shape[0] - t)
    if i < which.shape[1]:
        for s in range(rounds):
            which[t + s, i] = first + s * (k < dim)
    if k < dim:
        # Views, because compiled code would test every index t + s for a negative value.
        own, mean = rewards[i, samples[1, i] : samples[1, i] + rounds], means[i, k : k + rounds]
        added = noise[t : t + rounds, i]
        for s in range(rounds):
            own[s] = mean[s] + added[s]
        samples[1, i] += rounds
        samples[2, i] += place[i] == dim
    return rounds
