"""The base class of agents that explore a basis of the set, then play a best point."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.drivers.points import play_points
from agents.parts.cycles import cycle_and_place
from agents.storage.loadable import Loadable
from banditgym.compiled import compiled, inlined
from banditgym.rounds.blocks import PlayedPoints, PointsBlock
from banditgym.tasks import ConvexSetTask

_SINGLE, _TINY = 1e-6, 1e-30  # rounding to single precision, and the size that it makes 0


@dataclass(kw_only=True, eq=False)
class BasisExploration(Agent):
    """Explores in cycles (``agents.parts.cycles``), and plays the best point for the estimate.

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


def slim(matrix: np.ndarray) -> np.ndarray:
    """A copy of a matrix (d, d); for a diagonal matrix, its diagonal (1, d)."""
    diagonal = matrix.diagonal()
    is_diagonal = np.array_equal(matrix, np.diag(diagonal))
    return np.array(diagonal[None] if is_diagonal else matrix, order="C")


@inlined
def slim_product(matrix, x, out):
    """Write ``matrix @ x`` (d,) of a :func:`slim` matrix, summed in the order of its columns."""
    dim = x.shape[0]
    for j in range(dim):
        if matrix.shape[0] < dim:
            out[j] = matrix[0, j] * x[j]
            continue
        total = 0.0
        for c in range(dim):
            total += matrix[j, c] * x[c]
        out[j] = total


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
