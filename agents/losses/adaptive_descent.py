"""Gradient descent that adds curvature to losses that have too little."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.kept_point import KeptPoint
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import hypotenuse, length, project


@dataclass(kw_only=True, eq=False)
class AdaptiveDescent(KeptPoint):
    r"""Curvature descent on losses with just enough curvature added.

    With the gradient :math:`g_t` at the point :math:`x_t` played, :math:`G_t = \lVert g_t\rVert`,
    curvatures :math:`H_t` and the ball of radius D, the loss is replaced by
    :math:`\ell_t + \frac{\lambda_t}2 \lVert\cdot\rVert^2`,

    .. math:: \lambda_t = \frac12 \left( \sqrt{h_t^2 + \frac{8 G_t^2}{3 D^2}} - h_t \right), \qquad
        h_t = H_{1:t} + \lambda_{1:t-1},

    .. math:: x_{t+1} = \mathrm{Proj}\left( x_t
        - \frac{g_t + \lambda_t x_t}{H_{1:t} + \lambda_{1:t}} \right), \qquad x_1 = 0,

    and :math:`x_{t+1} = x_t` while the denominator is 0 (no gradient and no curvature so far).
    :math:`\lambda_t` balances the two terms of the regret bound :math:`\frac32 D^2 \lambda_{1:T} +
    \sum_t G_t^2 / (H_{1:t} + \lambda_{1:t})` (``agents.bounds.adaptive_descent_balanced``), whose
    order lies between log T for curved losses and :math:`\sqrt T` for any losses. A round costs
    O(d) per replicate; memory: n (d + 2) numbers.

    Its definition is ``tests/agents/definitions/losses/adaptive_descent.py``.

    Attributes
    ----------
    point : ndarray of shape (n, d)
        The point to play next.
    curvature : ndarray of shape (n,)
        :math:`H_{1:t}`.
    added : ndarray of shape (n,)
        :math:`\lambda_{1:t}`.

    Notes
    -----
    Two departures from the lecture. Its formula of :math:`\lambda_t` contains
    :math:`\lambda_{1:t}`, and so :math:`\lambda_t` itself; the original paper has
    :math:`\lambda_{1:t-1}`. The lecture has no projection. Its "diameter" D bounds
    :math:`\lVert x\rVert`: it is the radius of a ball at 0. A late gradient is that of the point
    that was played, with the added curvature; it moves the current point.

    References
    ----------
    P. L. Bartlett, E. Hazan, A. Rakhlin. Adaptive Online Gradient Descent. NeurIPS 2007,
    Algorithm 1 and Theorem 3.1.

    A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
    CS281B/Stat241B, Berkeley 2008, section 2.4.
    """

    paper: ClassVar = "Bartlett et al. 2007, Algorithm 1"
    search: ClassVar = None

    def _start(self) -> None:
        super()._start()
        self.curvature, self.added = np.zeros(self.n), np.zeros(self.n)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        radius = float(self.task.action_set.radius)
        revealed = actions, outcome["gradient"], outcome["curvature"], observed
        _descend(self.point, self.curvature, self.added, radius, *revealed)


@compiled
def to_add(curvature, gradient_norm, radius):
    r"""The curvature :math:`\lambda_t` to add to :math:`h_t`.

    The root of :math:`\frac32 D^2 \lambda (h + \lambda) = G^2`, without cancellation.
    """
    # sqrt(h² + 4 s²) - h = 4 s² / (sqrt(h² + 4 s²) + h), s² = 2 G² / (3 D²), without squares,
    # which may overflow
    s = math.sqrt(2.0 / 3.0) * (gradient_norm / radius)
    if s == 0.0:
        return 0.0
    return 2.0 * s * (s / (curvature + hypotenuse(curvature, 2.0 * s)))


@compiled
def _descend(point, curvature, added, radius, played, gradients, curvatures, observed):
    for i in range(point.shape[0]):
        if observed[i]:
            curvature[i] += curvatures[i]
            more = to_add(curvature[i] + added[i], length(gradients, i), radius)
            added[i] += more
            divisor = curvature[i] + added[i]
            for j in range(point.shape[1]):
                if divisor > 0.0:
                    point[i, j] -= (gradients[i, j] + more * played[i, j]) / divisor
            project(point, i, radius)
