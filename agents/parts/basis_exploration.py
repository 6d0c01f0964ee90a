"""The base class of agents that explore a basis of the set, then play a best point."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.drivers.points import play_points
from agents.parts.cycles import go_on, next_sample
from agents.storage.loadable import Loadable
from banditgym.compiled import compiled
from banditgym.rounds.blocks import PlayedPoints, PointsBlock
from banditgym.tasks import ConvexSetTask

_SINGLE, _TINY = 1e-6, 1e-30  # rounding to single precision, and the size that it makes 0


@dataclass(kw_only=True, eq=False)
class BasisExploration(Agent):
    """Explores in cycles (``agents.parts.cycles``), and plays the best point for the estimate.

    Samples of exploration are numbered from 0. An agent learns only from rewards of its next point.
    A subclass fits the estimate.

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
        samples = np.empty((3, self.n), np.int64)
        given = self._basis, self._best, actions, observed
        if _count_round(self._place, self.cycle, self._cycles, *given, samples):
            self._learn_samples(samples, reward[:, None])

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


def slim(matrix: np.ndarray) -> np.ndarray:
    """A copy of a matrix (d, d); for a diagonal matrix, its diagonal (1, d)."""
    diagonal = matrix.diagonal()
    is_diagonal = np.array_equal(matrix, np.diag(diagonal))
    return np.array(diagonal[None] if is_diagonal else matrix, order="C")


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


@compiled
def _count_round(place, cycle, cycles, basis, best, points, observed, samples):
    """Count a round of each observed replicate whose point (n, d) is its next one.

    Writes ``samples`` (3, n) as ``_learn_samples`` takes them; returns whether there is one.
    """
    n, dim = points.shape
    following = points_to_play(place, basis, best)
    for i in range(n):
        # The point of an earlier decision, or of another player, may differ.
        off = 0  # an integer count, because LLVM vectorises sums of integers
        for j in range(dim):
            expected = following[i, j]
            off += abs(points[i, j] - expected) > _SINGLE * abs(expected) + _TINY
        counts = observed[i] and off == 0
        explores = counts and place[i] < dim
        samples[0, i], samples[1, i] = next_sample(place, cycle, dim, i), explores
        go_on(place, cycle, cycles, dim, i, int(counts))
        samples[2, i] = explores and place[i] == dim
    return samples[1].any()
