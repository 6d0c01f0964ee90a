"""The base class of agents that explore a basis of the set, then play a best point."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.drivers.points import PointsAgent
from agents.storage.loadable import Loadable
from banditgym.compiled import compiled, inlined
from banditgym.linalg.diagonal import slim
from banditgym.tasks import ConvexSetTask

_SINGLE, _TINY = 1e-6, 1e-30  # rounding to single precision, and the size that it makes 0


@dataclass(kw_only=True, eq=False)
class BasisExploration(PointsAgent):
    """Explores the d rows of the basis in cycle m, and then plays the best point m times.

    With a number of cycles, it plays the best point in the last one alone, which does not end.
    The number of a decision says which row of the basis it explores, or that the best point is
    next, whether rewards have come or not. A reward counts as a sample of its row if the decision
    that it answers explored and its point was played. Samples are numbered from 0 and go through
    the rows in turn; the k-th reward of a row, in the order in which they come, is the row's k-th
    sample. A subclass fits the estimate.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        The estimate; 0 before the first one.
    cycle : ndarray of shape (n,)
        The cycle m, from 1.
    """

    accepts: ClassVar = (ConvexSetTask,)
    loadable: ClassVar = {"cycle": Loadable(least=1), "_unanswered": Loadable(added=True)}

    def _start(self) -> None:
        task, n = self.task, self.n
        self.theta = np.zeros((n, task.dim))
        self.cycle = np.ones(n, np.int64)
        self._cycles = 0  # 0 if there is no last cycle
        self._place = np.zeros(n, np.int64)
        self._unanswered = np.zeros((n, task.dim), np.int64)  # explorations of a row, no reward yet
        self._basis = slim(task.action_set.basis)
        self._best = task.action_set.argmax(self.theta)

    def _choose(self, contexts) -> np.ndarray:
        self._go_to(self.decisions)  # an agent saved by an earlier version may be elsewhere
        self._renew_best((self._place == self.task.dim) & self._unanswered.any(axis=1))
        points = points_to_play(self._place, self._basis, self._best)
        self._go_to(self.decisions + 1)
        return points

    def _go_to(self, decisions: np.ndarray) -> None:
        """Go to the place of decisions (n,); what is explored until then is unanswered."""
        before = self._played()
        _go_to((self._place, self.cycle, self._cycles), decisions, self.task.dim)
        self._unanswered += self._played() - before

    def _played(self) -> np.ndarray:
        """How often each row of the basis has been explored, (n, d)."""
        return self.cycle[:, None] - 1 + (self._place[:, None] > np.arange(self.task.dim))

    def _learn(self, contexts, actions, reward, observed) -> None:
        answered = self.decisions - 1 if self.answered is None else self.answered
        samples, cycles = np.zeros((3, self.n), np.int64), (self._place, self.cycle, self._cycles)
        given = self._basis, self._unanswered, actions, answered, observed
        if _take_rewards(cycles, *given, samples):
            self._fit_one(samples, reward[:, None])
            self._renew_best((samples[1] > 0) & (self._place >= self.task.dim))

    def _fit_one(self, samples: np.ndarray, rewards: np.ndarray) -> None:
        """Learn at most one sample of each replicate; its row may be any."""
        raise NotImplementedError

    def _renew_best(self, where: np.ndarray) -> None:
        """Find the best point for the rewards so far, where bool (n,)."""
        if where.any():
            self._renew_estimate(where)
            self._best[where] = self.task.action_set.argmax(self.theta[where])

    def _renew_estimate(self, where: np.ndarray) -> None:
        """Compute ``theta`` from the rewards so far; for subclasses that do not at every reward."""

    _play_block = PointsAgent._play_block  # blocks give the same as the rounds above


@compiled
def points_to_play(place, basis, best):
    """The next points (n, d): rows of the basis, as ``slim`` returns it, or best points (n, d)."""
    n, dim = best.shape
    points = np.zeros((n, dim))
    for i in range(n):
        k = place[i]
        if k < dim and basis.shape[0] < dim:
            points[i, k] = basis[0, k]
            continue
        row = basis[k] if k < dim else best[i]
        for j in range(dim):
            points[i, j] = row[j]
    return points


@inlined
def cycle_and_place(t, dim, last):
    """The cycle of round t, from 0, and the round's place in it, as ``go_on`` counts them."""
    if last > 0:
        cycle = min(t // dim + 1, last)
        return cycle, min(t - (cycle - 1) * dim, dim)
    both = 2 * dim + 1  # m cycles have m (2 d + 1 + m) / 2 rounds
    ended = int((math.sqrt(both * both + 8.0 * t) - both) / 2.0)
    while ended * (both + ended) // 2 > t:  # the root is rounded
        ended -= 1
    while (ended + 1) * (both + ended + 1) // 2 <= t:
        ended += 1
    return ended + 1, t - ended * (both + ended) // 2


@compiled
def _go_to(cycles, decisions, dim):
    place, cycle, last = cycles
    for i in range(place.shape[0]):
        cycle[i], place[i] = cycle_and_place(decisions[i], dim, last)


@compiled
def _take_rewards(cycles, basis, unanswered, points, answered, observed, samples):
    """Write samples (3, n) as ``_learn_samples`` takes them; returns whether there is one."""
    (place, cycle, last), (n, dim) = cycles, points.shape
    for i in range(n):
        _, k = cycle_and_place(max(answered[i], 0), dim, last)
        if not observed[i] or k >= dim or unanswered[i, k] < 1:
            continue
        off = 0  # the point may be another player's
        for j in range(dim):
            expected = basis[k % basis.shape[0], j]
            if basis.shape[0] < dim and j != k:
                expected = 0.0
            off += abs(points[i, j] - expected) > _SINGLE * abs(expected) + _TINY
        if off == 0:
            unanswered[i, k] -= 1
            earlier = cycle[i] - 1 + (place[i] > k) - unanswered[i, k] - 1  # samples of the row
            samples[0, i], samples[1, i] = max(earlier, 0) * dim + k, 1
    return samples[1].any()
