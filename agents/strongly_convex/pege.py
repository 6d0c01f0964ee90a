"""PEGE: phases of exploration with a basis and of greedy play, with exact least squares."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.elimination import inverse
from agents.parts.basis_exploration import comes_next, points_to_play, renewed, slim, solve
from banditgym.compiled import compiled
from banditgym.tasks import ConvexSetTask


@dataclass(kw_only=True, eq=False)
class PEGE(Agent):
    r"""Phased exploration and greedy exploitation.

    Cycle :math:`m = 1, 2, ..` plays each point :math:`b_1, .., b_d` of the set's basis once, then
    m times the best point for the least-squares estimate of all exploration,

    .. math:: \hat\theta_m = \Bigl(m \sum_i b_i b_i^\top\Bigr)^{-1} m \sum_i b_i \bar y_i
        = B^{-1} \bar y, \qquad x = \arg\max_{x \in \mathcal{D}} \langle x, \hat\theta_m \rangle,

    with rows :math:`b_i` of B and the means :math:`\bar y_i` of the m rewards of :math:`b_i`.
    Rewards of exploitation are not used. On a strongly convex set the regret is
    :math:`O(d \sqrt T)`; on the unit sphere with :math:`b_i = e_i` the regret of a cycle tends to
    :math:`d\lVert\theta\rVert - \sum_i\theta_i + (d - 1)\sigma^2 / (2 \lVert\theta\rVert)`.

    The basis is constant, so B is inverted once: m cycles take :math:`O(d^3 + m d^2)` in all, and
    :math:`O(d + m d)` where the basis lies along the coordinate axes. A round costs O(d) to write
    its point, and O(1) in exploitation. Memory: n (3 d + 2) numbers, and 2 d² shared.

    The basis of an ellipsoid is its semi-axes. Among orthogonal bases it is the one with which the
    estimate of :math:`Q^{-1/2} \theta`, which determines the best point, is equally accurate in all
    directions. It learns only from rewards of the next point in the cycle: if many rounds are
    played before the first reward comes, they all play the same point.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        :math:`\hat\theta` of the last exploration that ended; 0 before.
    mean : ndarray of shape (n, d)
        :math:`\bar y`, the current exploration included.
    cycle : ndarray of shape (n,)
        The cycle m, from 1.

    References
    ----------
    P. Rusmevichientong, J. Tsitsiklis. Linearly Parameterized Bandits. Mathematics of Operations
    Research 35, 2010: Phased Exploration and Greedy Exploitation.
    """

    accepts: ClassVar = (ConvexSetTask,)
    paper: ClassVar = "Rusmevichientong & Tsitsiklis 2010"

    def _start(self) -> None:
        task, n = self.task, self.n
        basis = np.ascontiguousarray(task.action_set.basis)
        self.theta = np.zeros((n, task.dim))
        self.mean = np.zeros((n, task.dim))
        self.cycle = np.ones(n, np.int64)
        self._place = np.zeros(n, np.int64)  # the round within the cycle
        self._basis, self._inverse = slim(basis), slim(inverse(basis))
        self._best = task.action_set.argmax(self.theta)

    def _choose(self, contexts) -> np.ndarray:
        return points_to_play(self._place, self._basis, self._best)

    def _learn(self, contexts, actions, reward, observed) -> None:
        explored = np.zeros(self.n, bool)
        same = actions.base is self._best  # as in a plain loop
        if _absorb(
            self.theta, self.mean, self.cycle, self._place, self._basis, self._inverse, self._best,
            same, actions, reward, observed, explored,
        ):  # fmt: skip
            self._best = renewed(self._best, self.theta, explored, self.task.action_set)


@compiled
def _absorb(
    theta, mean, cycle, place, basis, inverse, best, same, points, reward, observed, explored
):  # fmt: skip
    """Play out a round of each observed replicate; whether any has ``explored``, with theta."""
    n, dim = theta.shape
    some = False
    for i in range(n):
        if not observed[i] or not comes_next(points, place, basis, best, same, i):
            continue
        k = place[i]
        place[i] += 1
        if k < dim:
            mean[i, k] += (reward[i] - mean[i, k]) / cycle[i]
        if k == dim - 1:
            solve(inverse, mean, i, theta)
            explored[i] = True
            some = True
        elif place[i] == dim + cycle[i]:
            place[i] = 0
            cycle[i] += 1
    return some
