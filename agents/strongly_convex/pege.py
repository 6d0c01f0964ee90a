"""PEGE: phases that explore a basis and then play greedily, with exact least squares."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.basis_exploration import BasisExploration
from banditgym.compiled import compiled
from banditgym.linalg.diagonal import slim, slim_product
from banditgym.linalg.elimination import inverse


@dataclass(kw_only=True, eq=False)
class PEGE(BasisExploration):
    r"""Phased exploration and greedy exploitation.

    Cycle :math:`m = 1, 2, ..` plays each point :math:`b_1, .., b_d` of the set's basis once. It
    then plays the best point for the least-squares estimate from all exploration m times,

    .. math:: \hat\theta_m = \Bigl(m \sum_i b_i b_i^\top\Bigr)^{-1} m \sum_i b_i \bar y_i
        = B^{-1} \bar y, \qquad x = \arg\max_{x \in \mathcal{D}} \langle x, \hat\theta_m \rangle,

    with rows :math:`b_i` of B and the means :math:`\bar y_i` of the m rewards of :math:`b_i`.
    Rewards of exploitation are not used. On a strongly convex set the regret is
    :math:`O(d \sqrt T)`; on the unit sphere with :math:`b_i = e_i` the regret of a cycle tends to
    :math:`d\lVert\theta\rVert - \sum_i\theta_i + (d - 1)\sigma^2 / (2 \lVert\theta\rVert)`.

    The basis is constant, so B is inverted once. In all, m cycles take :math:`O(d^3 + m d^2)`, or
    :math:`O(d + m d)` if the basis lies along the coordinate axes. A round costs O(d) to write its
    point, in blocks O(1). Memory: n (4 d + 2) numbers, and 2 d² that all replicates share.

    The basis of an ellipsoid consists of its semi-axes. The best point depends on :math:`Q^{-1/2}
    \theta`, and with no other orthogonal basis is the estimate of it equally accurate in all
    directions.

    Its definition is ``tests/agents/definitions/strongly_convex/pege.py``.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        :math:`\hat\theta` of the last exploration that ended; 0 before.
    mean : ndarray of shape (n, d)
        :math:`\bar y`, the current exploration included.
    cycle : ndarray of shape (n,)
        The cycle m, from 1.

    Notes
    -----
    Departs from the paper where rewards come late: it plays on, the basis in turn and then the best
    point for the rewards so far. The mean of a point without a reward is 0.

    References
    ----------
    P. Rusmevichientong, J. Tsitsiklis. Linearly Parameterized Bandits. Mathematics of Operations
    Research 35, 2010: Phased Exploration and Greedy Exploitation.
    """

    paper: ClassVar = "Rusmevichientong & Tsitsiklis 2010"
    search: ClassVar = None

    def _start(self) -> None:
        super()._start()
        self.mean = np.zeros((self.n, self.task.dim))
        self._inverse = slim(inverse(np.ascontiguousarray(self.task.action_set.basis)))

    def _fit(self, samples, rewards, estimates) -> None:
        _average(self.theta, self.mean, self._cycles, self._inverse, samples, rewards, estimates)

    def _fit_one(self, samples, rewards) -> None:
        which = np.flatnonzero(samples[1])
        earlier, rows = np.divmod(samples[0, which], self.task.dim)
        self.mean[which, rows] += (rewards[which, 0] - self.mean[which, rows]) / (earlier + 1)

    def _renew_estimate(self, where) -> None:
        _solve_each(self.theta, self.mean, self._inverse, where)


@compiled
def _average(theta, mean, cycles, inverse, samples, rewards, estimates):
    """Add the rewards to the means; solve where an exploration ends that a best point follows."""
    n, dim = theta.shape
    for i in range(n):
        first, cycle = samples[0, i] % dim, samples[0, i] // dim + 1
        done, ended = 0, 0
        while done < samples[1, i]:
            count = min(samples[1, i] - done, dim - first)
            own = rewards[i, done : done + count]
            for s in range(count):
                k = np.uint64(first + s)
                mean[i, k] += (own[s] - mean[i, k]) / cycle
            if first + count == dim and (cycles == 0 or cycle == cycles):
                slim_product(inverse, mean[i], theta[i])
                estimates[ended, i] = theta[i]
                ended += 1
            first, cycle, done = 0, cycle + 1, done + count


@compiled
def _solve_each(theta, mean, inverse, where):
    for i in range(theta.shape[0]):
        if where[i]:
            slim_product(inverse, mean[i], theta[i])
