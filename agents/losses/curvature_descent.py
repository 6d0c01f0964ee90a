"""Gradient descent whose steps shrink with the curvature seen so far."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.kept_point import KeptPoint
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import project


@dataclass(kw_only=True, eq=False)
class CurvatureDescent(KeptPoint):
    r"""Take gradient steps of one over the sum of the curvatures so far.

    With the gradient :math:`g_t` at the point :math:`x_t` played and the curvatures' sum
    :math:`H_{1:t}`,

    .. math:: x_{t+1} = \mathrm{Proj}\left( x_t - \frac{g_t}{H_{1:t}} \right), \qquad x_1 = 0.

    Its regret is at most :math:`\frac12 \sum_t \lVert g_t\rVert^2 / H_{1:t}`
    (``agents.bounds.curvature_descent``). This is logarithmic in T if every loss is curved, and
    linear if the losses are linear after a few curved ones. A round costs O(d) per replicate;
    memory: n (d + 1) numbers.

    Its definition is ``tests/agents/definitions/losses/curvature_descent.py``.

    Attributes
    ----------
    point : ndarray of shape (n, d)
        The point to play next.
    curvature : ndarray of shape (n,)
        :math:`H_{1:t}`.

    Notes
    -----
    Two departures. While :math:`H_{1:t} = 0` the step is undefined, and it plays the start point.
    Points are projected onto the ball; the lecture has no constraint. A late gradient moves the
    current point.

    References
    ----------
    A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
    CS281B/Stat241B, Berkeley 2008, section 2.3, Lemma 2.3.
    """

    paper: ClassVar = "Rakhlin 2008, lecture 24, Lemma 2.3"
    search: ClassVar = None

    def _start(self) -> None:
        super()._start()
        self.curvature = np.zeros(self.n)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        radius = float(self.task.action_set.radius)
        revealed = outcome["gradient"], outcome["curvature"]
        _descend(self.point, self.curvature, radius, *revealed, observed)


@compiled
def _descend(point, curvature, radius, gradients, curvatures, observed):
    for i in range(point.shape[0]):
        if observed[i]:
            curvature[i] += curvatures[i]
            if curvature[i] > 0.0:
                for j in range(point.shape[1]):
                    point[i, j] -= gradients[i, j] / curvature[i]
                project(point, i, radius)
