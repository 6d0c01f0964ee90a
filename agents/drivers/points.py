"""Blocks of points for agents that explore a basis in cycles, and the order of their rounds.

Whether a round explores does not depend on the estimate. So all rounds of a block are played first,
and the agent then learns all their samples at once.
"""

import numpy as np

from agents.agent import Agent
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.rounds.blocks import PlayedPoints, PointsBlock


class PointsAgent(Agent):
    """An agent that explores a basis in cycles, whose rounds ``go_on`` counts.

    A subclass that overrides ``_choose`` or ``_learn`` plays round by round, unless it declares by
    ``_play_block = PointsAgent._play_block`` that blocks give the same.

    Attributes
    ----------
    cycle : ndarray of shape (n,)
        The cycle m, from 1.
    """

    cycle: np.ndarray
    _place: np.ndarray  # (n,) round within the cycle
    _cycles: int  # 0 if there is no last cycle
    _unanswered: np.ndarray  # (n, d) explorations of a row that have no reward yet
    _best: np.ndarray  # (n, d) best point

    @property
    def plays_blocks(self) -> bool:
        # In a block every sample has its reward, and the number of its cycle.
        late = hasattr(self, "task") and self._unanswered.any()
        return super().plays_blocks and not late

    def _play_block(self, block: PointsBlock) -> PlayedPoints:
        which, *learned = play_points((self._place, self.cycle, self._cycles), block)
        others = self._learn_samples(*learned)
        return PlayedPoints(basis=self.task.action_set.basis, others=others, which=which)

    def _learn_samples(self, samples: np.ndarray, rewards: np.ndarray) -> np.ndarray:
        """Learn samples in a row, from one or more explorations.

        ``samples`` (3, n) are the number of a replicate's first one, how many there are, and how
        many explorations ended, counting those that a best point follows. Row i of ``rewards``
        begins with those of replicate i. Returns the best points (1 + e, n, d) before them, and
        after each of the e explorations.
        """
        dim, ended = self.task.dim, samples[2]
        best = np.empty((1 + int(ended.max()), self.n, dim))
        best[0] = self._best
        best[1 + ended.min() :] = 0.0  # these are not all written
        self._fit(samples, rewards, best[1:])
        if len(best) > 1:
            self.task.action_set.argmax_in_place(best[1:].reshape(-1, dim))
            self._best = best[ended, np.arange(self.n)]
        return best

    def _fit(self, samples: np.ndarray, rewards: np.ndarray, estimates: np.ndarray) -> None:
        """Learn as :meth:`_learn_samples` does.

        Writes ``estimates[j, i]``, that of replicate i after its j-th exploration that ends.
        """
        raise NotImplementedError


@inlined
def next_sample(place, cycle, dim, i):
    """The number of replicate i's next sample of exploration, from 0."""
    return (cycle[i] - 1) * dim + min(place[i], dim)


@borrowing
def go_on(place, cycle, last, dim, i, most):
    """Count the next rounds of replicate i, at most ``most``, which all explore or all exploit.

    A replicate's ``place`` (n,) is the round within its ``cycle`` (n,), from 1: the next row of the
    basis, or d and more if the best point is next. ``last`` is the number of cycles, 0 if there is
    no last one. Returns the number of rounds.
    """
    if place[i] == dim and cycle[i] == last:
        return most
    rest = cycle[i] if last == 0 else 0
    rounds = min(most, (dim if place[i] < dim else dim + rest) - place[i])
    place[i] += rounds
    if place[i] == dim + rest and cycle[i] != last:
        place[i] = 0
        cycle[i] += 1
    return rounds


def play_points(
    cycles: tuple[np.ndarray, np.ndarray, int], block: PointsBlock
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play all rounds of a block; ``cycles`` are as ``go_on`` takes them.

    Returns ``which`` of ``PlayedPoints``, whose ``others`` are the best point before the block and
    the one after each exploration that ends in it; and ``samples`` (3, n) and ``rewards`` (n, m),
    as ``PointsAgent._learn_samples`` takes them.
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
