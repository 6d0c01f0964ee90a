"""Follow the regularised leader, on the quadratic lower bounds of the losses."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.kept_point import KeptPoint
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import project
from banditgym.validation import checked, positive


@dataclass(kw_only=True, eq=False)
class FollowTheRegularizedLeader(KeptPoint):
    r"""Play the minimum of the past losses' quadratic lower bounds plus a ridge.

    Every loss is replaced by the quadratic lower bound that follows from its gradient :math:`g_s`
    at the point :math:`x_s` played and its curvature :math:`H_s`. With ridge :math:`\lambda` and
    the ball of radius D,

    .. math:: x_{t+1} = \arg\min_{\lVert x\rVert \le D} \sum_{s \le t} \left(
        \langle g_s, x - x_s\rangle + \frac{H_s}{2} \lVert x - x_s\rVert^2 \right)
        + \frac\lambda2 \lVert x\rVert^2
        = \mathrm{Proj}\left(
        \frac{\sum_{s \le t} (H_s x_s - g_s)}{\lambda + H_{1:t}} \right), \qquad x_1 = 0.

    The minimum is a projection because the sum is isotropic: it is a constant plus :math:`(\lambda
    + H_{1:t}) / 2` times the squared distance to the quotient. A round costs O(d) per replicate;
    memory: n (2 d + 1) numbers. Its regret is bounded by
    ``agents.bounds.follow_the_regularized_leader``. The bound is logarithmic for curved losses. For
    linear losses it is linear in T at a fixed ridge, and of order :math:`\sqrt T` at a ridge of
    order :math:`G \sqrt T / D`.

    Its definition is ``tests/agents/definitions/losses/follow_the_regularized_leader.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, in units of curvature.

    Attributes
    ----------
    point : ndarray of shape (n, d)
        The point to play next.
    pull : ndarray of shape (n, d)
        :math:`\sum_s (H_s x_s - g_s)`.
    curvature : ndarray of shape (n,)
        :math:`H_{1:t}`.

    Notes
    -----
    This is the lecture's (1) with :math:`\eta = 1` and :math:`R = \frac\lambda2
    \lVert\cdot\rVert^2`, with two departures. The losses are replaced by their quadratic lower
    bounds, which changes nothing for losses that are such quadratics. Points stay in the ball.

    References
    ----------
    A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
    CS281B/Stat241B, Berkeley 2008, section 2.1.
    """

    paper: ClassVar = "Rakhlin 2008, lecture 24, equation (1)"
    search: ClassVar = {"ridge": Log(0.01, 100.0)}

    ridge: float = checked(positive, 1.0)

    def _start(self) -> None:
        super()._start()
        self.pull = np.zeros_like(self.point)
        self.curvature = np.zeros(self.n)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        ridge, radius = float(self.ridge), float(self.task.action_set.radius)
        revealed = outcome["gradient"], outcome["curvature"]
        _follow(self.point, self.pull, self.curvature, ridge, radius, actions, revealed, observed)


@compiled
def _follow(point, pull, curvature, ridge, radius, played, revealed, observed):
    gradients, curvatures = revealed
    for i in range(point.shape[0]):
        if observed[i]:
            curvature[i] += curvatures[i]
            for j in range(point.shape[1]):
                pull[i, j] += curvatures[i] * played[i, j] - gradients[i, j]
                point[i, j] = pull[i, j] / (ridge + curvature[i])
            project(point, i, radius)
