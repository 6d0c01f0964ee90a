"""The base class of agents that explore a basis of the set, then play a best point.

Functions take a basis as ``slim`` returns it: rows (d, d), or the diagonal (1, d) if the rows lie
on the coordinate axes. An agent's ``place`` (n,) is the round within its cycle: the next row of the
basis, or d and more if the best point is next.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.storage.loadable import Loadable
from banditgym.action_sets import PointSet
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.rounds.blocks import PlayedPoints, PointsBlock, still_equivalent
from banditgym.tasks import ConvexSetTask

_SINGLE, _TINY = 1e-6, 1e-30  # rounding to single precision, and the size that it makes 0


@dataclass(kw_only=True, eq=False)
class BasisExploration(Agent):
    """Explores in cycles: every point of the basis once, then the best point for the estimate.

    In cycle m the best point is played m times. If the number of cycles is given, the best point is
    played only in the last cycle, which does not end. Samples of exploration are numbered from 0.
    An agent learns only from rewards of its next point. A subclass fits the estimate.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        The estimate; 0 before the first one.
    cycle : ndarray of shape (n,)
        The cycle m, from 1.
    """

    accepts: ClassVar = (ConvexSetTask,)
    loadable: ClassVar = {"cycle": Loadable(least=1)}

    def _start(self) -> None:
        task, n = self.task, self.n
        self.theta = np.zeros((n, task.dim))
        self.cycle = np.ones(n, np.int64)
        self._cycles = 0  # 0 if there is no last cycle
        self._place = np.zeros(n, np.int64)
        self._basis = slim(task.action_set.basis)
        self._best = task.action_set.argmax(self.theta)

    def _choose(self, contexts) -> np.ndarray:
        return points_to_play(self._place, self._basis, self._best)

    def _learn(self, contexts, actions, reward, observed) -> None:
        samples = np.empty(self.n, np.int64)
        best = self._best[:0] if actions.base is self._best else self._best  # in a plain loop
        if next_samples(
            self._place, self.cycle, self._cycles, self._basis, best, actions, observed, samples
        ) and self._fit(samples, reward):
            explored = (samples >= 0) & (self._place == self.task.dim)
            self._best = renewed(self._best, self.theta, explored, self.task.action_set)

    @property
    def plays_blocks(self) -> bool:
        return super().plays_blocks and still_equivalent(type(self), "_fit_samples", ("_fit",))

    def _play_block(self, block: PointsBlock) -> PlayedPoints:
        rounds, n = block.noise.shape
        dim, action_set = self.task.dim, self.task.action_set
        samples, counts, ended = np.empty((3, n), np.int64)
        # Replicates in the same place of the same cycle stay so: then one column serves all.
        alike = _count_samples(self._place, self.cycle, dim, samples)
        which = np.empty((rounds, 1 if alike else n), np.int64)
        rewards = self._reward_rows(samples, rounds)
        cycles = self._place, self.cycle, self._cycles
        _play_points_block(cycles, (block.means, block.noise), which, (counts, *rewards), ended)
        # Which rounds explore depends on no estimate, so all best points are computed at once.
        others = np.empty((1 + int(ended.max()), n, dim))
        others[0], estimates = self._best, others[1:]
        if not alike:  # else the same explorations end, and every estimate is written
            estimates[:] = self.theta
        self._fit_samples(samples, counts, rewards, estimates)
        action_set.argmax_in_place(estimates.reshape(-1, dim))
        self._best = others[ended[0]].copy() if alike else others[ended, np.arange(n)]
        return PlayedPoints(basis=action_set.basis, others=others, which=which)

    def _fit(self, samples: np.ndarray, reward: np.ndarray) -> bool:
        """Learn the rewards (n,) of the samples with these numbers (n,), -1 for none.

        Returns whether an exploration has ended: ``place`` is d for some replicate.
        """
        counts, rewards = np.empty_like(samples), self._reward_rows(samples, 0)
        _put_rewards(samples, reward, counts, *rewards)
        return self._fit_samples(samples, counts, rewards, np.empty((1, *self.theta.shape)))

    def _reward_rows(self, samples: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Where to write the rewards of samples of the next ``rounds`` rounds, or of the last if 0.

        ``samples`` (n,) are the numbers of the first ones. Returns an array and ``start`` (n,): the
        rewards of replicate i belong in row i, from column ``start[i]`` on.
        """
        return np.empty((self.n, max(1, rounds))), np.zeros(self.n, np.int64)

    def _fit_samples(
        self,
        samples: np.ndarray,
        counts: np.ndarray,
        rewards: tuple[np.ndarray, np.ndarray],
        estimates: np.ndarray,
    ) -> bool:
        """:meth:`_fit` for ``counts`` (n,) samples in a row, of one or more explorations.

        ``samples`` are the numbers of the first ones, and ``rewards`` what :meth:`_reward_rows`
        returned, now filled. Writes ``estimates[j, i]``, replicate i's estimate after its j-th
        exploration that ends, if a best point follows it: (e, n, d).
        """
        raise NotImplementedError


def slim(matrix: np.ndarray) -> np.ndarray:
    """A copy of a matrix (d, d); for a diagonal matrix, its diagonal (1, d)."""
    diagonal = matrix.diagonal()
    if np.array_equal(matrix, np.diag(diagonal)):
        return diagonal[None].copy()
    return np.array(matrix, order="C")


def rounds_of(cycles: Any, dim: int) -> Any:
    """How many rounds the first m cycles have, for one m or an array of them."""
    return cycles * (2 * dim + 1 + cycles) // 2


def samples_within(rounds: int, dim: int) -> int:
    """How many of the first ``rounds`` rounds explore, if there is no last cycle."""
    both = 2 * dim + 1
    cycles = (math.isqrt(both * both + 8 * rounds) - both) // 2  # the most with rounds_of <= rounds
    return cycles * dim + min(dim, rounds - rounds_of(cycles, dim))


def points_to_play(place: np.ndarray, basis: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The next points (n, d): a fresh array, or ``best`` (n, d) itself, read-only."""
    if _least(place) >= best.shape[1]:
        points = best.view()
        points.setflags(write=False)
        return points
    points = np.empty(best.shape)
    _lay_out(place, basis, best, points)
    return points


def renewed(
    best: np.ndarray, theta: np.ndarray, stale: np.ndarray, action_set: PointSet
) -> np.ndarray:
    """A new array of best points (n, d), computed anew for the replicates in stale (n,)."""
    if stale.all():
        return action_set.argmax(theta)
    best = best.copy()
    best[stale] = action_set.argmax(theta[stale])
    return best


@compiled
def _put_rewards(samples, reward, counts, rewards, start):
    """Write the rewards (n,) of samples (n,); counts (n,) are 1, or 0 where a sample is -1."""
    for i in range(samples.shape[0]):
        counts[i] = samples[i] >= 0
        if samples[i] >= 0:
            rewards[i, start[i]] = reward[i]


@compiled
def next_samples(place, cycle, cycles, basis, best, points, observed, samples):
    """Count a round of each observed replicate; write the number (n,) of its sample, or -1.

    ``best`` is (0, d) where it and the points share memory. Returns whether there is a sample.
    """
    n, dim = points.shape
    some = False
    for i in range(n):
        samples[i] = -1
        k = place[i]
        committed = k == dim and cycle[i] == cycles
        if not observed[i] or committed or not _comes_next(points, place, basis, best, i):
            continue
        if k < dim:
            samples[i] = (cycle[i] - 1) * dim + k
            some = True
        _play_out(place, cycle, cycles, dim, i, 1)
    return some


@borrowing
def _play_out(place, cycle, cycles, dim, i, rounds):
    """Count rounds of replicate i, all of exploration or all of exploitation, and of one cycle."""
    place[i] += rounds
    rest = cycle[i] if cycles == 0 else 0
    if place[i] == dim + rest and cycle[i] != cycles:
        place[i] = 0
        cycle[i] += 1


@compiled
def _count_samples(place, cycle, dim, samples):
    """Write the number (n,) of each replicate's next sample.

    Returns whether all are in the same place of the same cycle.
    """
    alike = True
    for i in range(samples.shape[0]):
        samples[i] = (cycle[i] - 1) * dim + min(place[i], dim)
        alike &= place[i] == place[0] and cycle[i] == cycle[0]
    return alike


@compiled
def _play_points_block(cycles, block, which, explored, ended):
    """Play all rounds of a block.

    ``cycles`` are place, cycle (n,) and their number; ``block`` the means (n, d) of the basis and
    the noise (m, n). ``explored`` are counts (n,) of samples, an array for their rewards, and where
    its rows begin (n,). Writes ``which`` (m, n), or (m, 1), of ``PlayedPoints``, the counts, the
    rewards, and how many explorations ``ended`` (n,).
    """
    counts = explored[0]
    rounds, n = block[1].shape
    played = np.zeros(n, np.int64)
    for i in range(n):
        counts[i] = ended[i] = 0
    left = rounds > 0
    while left:  # a cycle of each replicate in turn, since these mostly lie in the same rounds
        left = False
        for i in range(n):
            played[i] = _play_to_next_estimate(cycles, block, i, played[i], which, explored, ended)
            left |= played[i] < rounds


@borrowing
def _play_to_next_estimate(cycles, block, i, t, which, explored, ended):
    """Replicate i plays what is left of an exploitation and then of an exploration, from round t.

    Returns the round that comes next.
    """
    place, cycle, last = cycles
    means, noise = block
    counts, rewards, start = explored
    rounds, dim, done = which.shape[0], means.shape[1], start[i] + counts[i]
    writes = i < which.shape[1]  # replicates that play alike share the first column
    if place[i] >= dim:
        committed = place[i] == dim and cycle[i] == last
        stop = rounds if committed else min(rounds, t + dim + cycle[i] - place[i])
        if writes:
            for s in range(t, stop):
                which[s, i] = dim + ended[i]
        if not committed:
            _play_out(place, cycle, last, dim, i, stop - t)
        t = stop
    k = place[i]
    count = min(rounds - t, dim - k)
    if count <= 0:
        return t
    # Views, because compiled code would test every index t + s for a negative value.
    own, mean = rewards[i, done : done + count], means[i, k : k + count]
    added = noise[t : t + count, i]
    for s in range(count):
        own[s] = mean[s] + added[s]
    if writes:
        for s in range(count):
            which[t + s, i] = k + s
    counts[i] += count
    ended[i] += k + count == dim and (last == 0 or cycle[i] == last)
    _play_out(place, cycle, last, dim, i, count)
    return t + count


@inlined
def _comes_next(points, place, basis, best, i):
    """Whether the point of replicate i in points (n, d) is its next one, up to single precision.

    The point of an earlier decision, or of another player, may differ. Its reward is then not a
    reward of the next point.
    """
    k, point = place[i], points[i]
    dim = point.shape[0]
    if best.shape[0] == 0 and k >= dim:
        return True
    # An integer count, because LLVM vectorises sums of integers.
    if k < dim and basis.shape[0] < dim:
        off = 0
        for j in range(dim):
            off += abs(point[j]) > _TINY
        own = basis[0, k]
        off -= abs(point[k]) > _TINY
        return off == 0 and abs(point[k] - own) <= _SINGLE * abs(own) + _TINY
    expected = best[i] if k >= dim else basis[k]
    off = 0
    for j in range(dim):
        off += abs(point[j] - expected[j]) > _SINGLE * abs(expected[j]) + _TINY
    return off == 0


@compiled
def _least(place):
    least = place[0]
    for i in range(place.shape[0]):
        least = min(least, place[i])
    return least


@compiled
def _lay_out(place, basis, best, points):
    n, dim = points.shape
    for i in range(n):
        k = place[i]
        if k >= dim:
            for j in range(dim):
                points[i, j] = best[i, j]
        elif basis.shape[0] == dim:
            for j in range(dim):
                points[i, j] = basis[k, j]
        else:
            for j in range(dim):
                points[i, j] = 0.0
            points[i, k] = basis[0, k]
