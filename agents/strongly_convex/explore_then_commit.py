"""Explore, then commit: a simple baseline on sets of points, and on arms."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import noise_level
from agents.drivers.decisions import choose_each, learn_each, play_arms
from agents.parts.committed_arms import CommittedArms
from agents.search import Log
from agents.storage.loadable import Loadable
from agents.strongly_convex.pege import PEGE
from banditgym.elementary import each_log, each_power
from banditgym.rounds.blocks import MeansBlock, PointsBlock
from banditgym.tasks import ArmedTask, ConvexSetTask
from banditgym.validation import checked, whole


def _cycles_for(task: Any) -> int | None:
    if task.horizon is None:
        return None
    if isinstance(task, ArmedTask):
        most, share = task.horizon // (2 * task.n_arms), task.horizon / task.n_arms
        cycles = each_power(share * share * each_log(float(task.horizon)) / 2, 1 / 3)
        return max(1, min(round(cycles), most))
    dim, noise, signal = task.dim, noise_level(task), task.param_norm * task.feature_norm
    if dim == 1 or not signal > 0:
        return 1
    cycles = noise / signal * math.sqrt(task.horizon * (dim - 1) / (2 * dim))
    return max(1, round(min(cycles, task.horizon // (2 * dim))))  # noise / signal may be infinite


@dataclass(kw_only=True, eq=False)
class ExploreThenCommit(PEGE):
    r"""Play the set's basis m times, and from then on the best point for the estimate.

    In armed tasks, play every arm m times in turn, and from then on the one with the largest mean.

    On a set of points, with rows :math:`b_i` of B, and :math:`\bar y_i` the mean of the m rewards
    of :math:`b_i`,

    .. math:: x = \arg\max_{x \in \mathcal{D}} \langle x, \hat\theta\rangle, \qquad
        \hat\theta = B^{-1} \bar y.

    On a sphere of radius L with the basis :math:`L e_i`, the regret of m cycles of exploration is
    at most about :math:`m d L \lVert\theta\rVert`, and that of T rounds afterwards
    :math:`T (d - 1) \sigma^2 / (2 m L \lVert\theta\rVert)`. The sum is smallest at

    .. math:: m = \frac{\sigma}{L \lVert\theta\rVert} \sqrt{\frac{T (d - 1)}{2 d}}.

    A round costs O(d) per replicate, in blocks O(1); inverting the basis costs O(d³) once. Memory:
    n (4 d + 2) numbers, and 2 d² that all replicates share.

    With K arms and rewards in [0, 1], the regret of exploration is at most m K, and that afterwards
    at most :math:`T \sqrt{2 \log(T) / m}`, but for an event whose part is at most 2 K. The sum is
    smallest at

    .. math:: m = \Big(\frac{T}{K}\Big)^{2/3} \Big(\frac{\log T}{2}\Big)^{1/3}.

    A round costs O(K) per replicate; memory: 2 n K numbers. It is for any rewards: the arms played
    do not change if these are shifted, or multiplied by a positive number.

    Its definition is ``tests/agents/definitions/strongly_convex/explore_then_commit.py``.

    Parameters
    ----------
    cycles : int, optional
        m >= 1. The default is the m above, where T is the horizon. Of points, :math:`\sigma` is the
        noise's sub-Gaussian constant (its standard deviation if it has none), L the norm of the
        longest point and :math:`\lVert\theta\rVert` the bound on theta's norm. It is reduced until
        exploration takes at most half of the horizon, but never below 1.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        :math:`\hat\theta`; 0 before exploration has ended.
    mean : ndarray of shape (n, d)
        :math:`\bar y`.
    arms : agents.parts.committed_arms.CommittedArms
        In armed tasks, the rewards of exploration, in place of the others.

    Notes
    -----
    Where rewards come late, it plays on, and finds the best point again when one has come. The mean
    of a point without a reward is 0. In armed tasks the arm with the fewest rewards is played, and
    so again until its reward has come; the mean is that of the first m rewards of an arm. Where
    arms come and go, those that may be played are explored and compared.

    References
    ----------
    T. Lattimore, C. Szepesvári. Bandit Algorithms. Cambridge 2020, chapter 6, for arms.
    """

    accepts: ClassVar = (ConvexSetTask, ArmedTask)
    paper: ClassVar = "baseline"
    follows_masks: ClassVar = True
    search: ClassVar = {"cycles": Log(1, 100)}
    from_task: ClassVar = {"cycles": _cycles_for}
    loadable: ClassVar = {"_place": Loadable(most=lambda self: self.task.dim)}

    cycles: int | None = checked(whole, None)

    def _start(self) -> None:
        cycles = int(self.known("cycles"))
        if isinstance(self.task, ArmedTask):
            self.arms = CommittedArms.initial(self.n, self.task.n_arms, cycles)
            self._unanswered = np.zeros((self.n, 0), np.int64)  # there is no basis
        else:
            super()._start()
            self._cycles = cycles

    def _choose(self, contexts) -> np.ndarray:
        if isinstance(self.task, ArmedTask):
            return choose_each(self.arms, self.n, contexts, self.mask)
        return super()._choose(contexts)

    def _learn(self, contexts, actions, reward, observed) -> None:
        if isinstance(self.task, ArmedTask):
            learn_each(self.arms, contexts, actions, reward, observed)
        else:
            super()._learn(contexts, actions, reward, observed)

    def _estimate(self, contexts, actions) -> np.ndarray:
        if isinstance(self.task, ArmedTask):
            return self.arms.estimate(actions)
        expected = np.zeros(self.n)
        for j in range(self.task.dim):
            expected += self.theta[:, j] * actions[:, j]
        return expected

    def _play_block(self, block: MeansBlock | PointsBlock) -> Any:
        if isinstance(block, MeansBlock):
            return play_arms(self.arms, block, self.n)
        return super()._play_block(block)
