"""Explore, then commit: a simple baseline on sets of points."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from agents.agent import noise_level
from agents.search import Log
from agents.storage.loadable import Loadable
from agents.strongly_convex.pege import PEGE
from banditgym.validation import whole


def _cycles_for(task: Any) -> int | None:
    if task.horizon is None:
        return None
    dim, noise, signal = task.dim, noise_level(task), task.param_norm * task.feature_norm
    if dim == 1 or not signal > 0:
        return 1
    cycles = noise / signal * math.sqrt(task.horizon * (dim - 1) / (2 * dim))
    return max(1, round(min(cycles, task.horizon // (2 * dim))))  # noise / signal may be infinite


@dataclass(kw_only=True, eq=False)
class ExploreThenCommit(PEGE):
    r"""Play the set's basis m times, and from then on the best point for the estimate.

    With rows :math:`b_i` of B, and :math:`\bar y_i` the mean of the m rewards of :math:`b_i`,

    .. math:: x = \arg\max_{x \in \mathcal{D}} \langle x, \hat\theta\rangle, \qquad
        \hat\theta = B^{-1} \bar y.

    On a sphere of radius L with the basis :math:`L e_i`, the regret of m cycles of exploration is
    at most about :math:`m d L \lVert\theta\rVert`, and that of T rounds afterwards
    :math:`T (d - 1) \sigma^2 / (2 m L \lVert\theta\rVert)`. The sum is smallest at

    .. math:: m = \frac{\sigma}{L \lVert\theta\rVert} \sqrt{\frac{T (d - 1)}{2 d}}.

    A round costs O(d) per replicate, in blocks O(1); inverting the basis costs O(d³) once. Memory:
    n (4 d + 2) numbers, and 2 d² that all replicates share.

    Its definition is ``tests/agents/definitions/strongly_convex/explore_then_commit.py``.

    Parameters
    ----------
    cycles : int, optional
        m >= 1. The default is the m above, where T is the horizon, :math:`\sigma` the noise's
        sub-Gaussian constant (its standard deviation if it has none), L the norm of the longest
        point and :math:`\lVert\theta\rVert` the bound on theta's norm. It is reduced until
        exploration takes at most half of the horizon, but never below 1.

    Attributes
    ----------
    theta : ndarray of shape (n, d)
        :math:`\hat\theta`; 0 before exploration has ended.
    mean : ndarray of shape (n, d)
        :math:`\bar y`.

    Notes
    -----
    Where rewards come late, it plays on, and finds the best point again when one has come. The mean
    of a point without a reward is 0.

    References
    ----------
    T. Lattimore, C. Szepesvári. Bandit Algorithms. Cambridge 2020, chapter 6. There the arms are
    explored, here the points of a basis.
    """

    paper: ClassVar = "baseline"
    search: ClassVar = {"cycles": Log(1, 100)}
    from_task: ClassVar = {"cycles": _cycles_for}
    loadable: ClassVar = {"_place": Loadable(most=lambda self: self.task.dim)}

    cycles: int | None = None

    def __post_init__(self):
        if self.cycles is not None:
            whole("cycles", self.cycles)

    def _start(self) -> None:
        super()._start()
        self._cycles = int(self.known("cycles"))
