"""Online gradient descent: the baseline of online convex optimisation."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.kept_point import KeptPoint
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import project
from banditgym.validation import checked, positive


@dataclass(kw_only=True, eq=False)
class OnlineGradientDescent(KeptPoint):
    r"""Take gradient steps that shrink as one over the square root of the round.

    With the gradient :math:`g_t` at the point :math:`x_t` played, a bound G on gradients' norms and
    the ball of radius D,

    .. math:: x_{t+1} = \mathrm{Proj}\left( x_t - \frac{D}{G \sqrt t}\, g_t \right), \qquad x_1 = 0,

    where t counts the observed rounds, this one included. Curvature is not used. Its regret is at
    most :math:`3 D G \sqrt T` (``agents.bounds.online_gradient_descent``). A round costs O(d) per
    replicate; memory: n (d + 1) numbers.

    Its definition is ``tests/agents/definitions/losses/online_gradient_descent.py``.

    Parameters
    ----------
    gradient_norm : float, optional
        G > 0, in units of loss per length; the task's if None. If the task's is 0, all gradients
        are 0 and the point never moves.

    Attributes
    ----------
    point : ndarray of shape (n, d)
        The point to play next.

    Notes
    -----
    Departs from the paper in the constant: the paper's step is :math:`t^{-1/2}`, without
    :math:`D / G`. A late gradient moves the current point.

    References
    ----------
    M. Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient Ascent. ICML
    2003, section 2.
    """

    paper: ClassVar = "Zinkevich 2003, section 2"
    search: ClassVar = {"gradient_norm": Log(0.1, 50.0)}
    from_task: ClassVar = {"gradient_norm": lambda task: task.gradient_norm}

    gradient_norm: float | None = checked(positive, None)

    def _start(self) -> None:
        super()._start()
        self._t = np.zeros(self.n, np.int64)
        self._gradient_norm = float(self.known("gradient_norm"))

    def _learn(self, contexts, actions, outcome, observed) -> None:
        radius, gradients = float(self.task.action_set.radius), outcome["gradient"]
        _descend(self.point, self._t, self._gradient_norm, radius, gradients, observed)


@compiled
def _descend(point, t, gradient_norm, radius, gradients, observed):
    for i in range(point.shape[0]):
        if observed[i]:
            t[i] += 1
            for j in range(point.shape[1]):
                if gradient_norm > 0.0:
                    point[i, j] -= radius / math.sqrt(t[i]) * (gradients[i, j] / gradient_norm)
            project(point, i, radius)
