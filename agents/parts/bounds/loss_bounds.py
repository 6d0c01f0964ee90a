r"""Bounds on the regret of agents of losses against the best fixed point of the ball.

Each function takes arrays of shape (.., T), with what the agent observed in T rounds, and returns
the bound after each round, (.., T). Leave out rounds that the agent did not observe.

Symbols: :math:`x_t` is the point that the agent chose, in the ball of radius D (``radius``) around
0. :math:`G_t`, in ``gradient_norms``, is the norm of the gradient at :math:`x_t`, in units of loss
per length. :math:`H_t`, in ``curvatures``, is the curvature, in units of loss per squared length,
and :math:`H_{1:t} = H_1 + \dots + H_t`.

References
----------
.. [1] A. Rakhlin. Online convex optimization: ridge regression, adaptivity. Lecture 24 of
   CS281B/Stat241B, Berkeley 2008.
.. [2] P. L. Bartlett, E. Hazan, A. Rakhlin. Adaptive Online Gradient Descent. NeurIPS 2007.
"""

from typing import Any

import numpy as np

from agents.losses.adaptive_descent import to_add


def follow_the_regularized_leader(
    gradient_norms: Any, curvatures: Any, *, ridge: float, radius: float
) -> np.ndarray:
    r"""FollowTheRegularizedLeader against the best fixed point of the ball.

    .. math:: \frac\lambda2 D^2 + \frac12 \sum_{s \le t} \frac{G_s^2}{\lambda + H_{1:s}}

    In units of loss. :math:`\lambda > 0` has the unit of curvature. The bound follows from
    equations (2) and (5) of the lecture. If a point was projected, they are not equalities: the
    left-hand side is at most the right-hand side.

    References
    ----------
    [1]_, section 2.1; H. B. McMahan. A Survey of Algorithms and Analysis for Adaptive Online
    Learning. JMLR 18, 2017, Theorem 1.
    """
    norms, curvatures = np.broadcast_arrays(gradient_norms, curvatures)
    total = ridge + np.cumsum(curvatures, axis=-1, dtype=np.float64)
    return ridge / 2 * radius**2 + np.cumsum(norms * (norms / total), axis=-1) / 2


def curvature_descent(gradient_norms: Any, curvatures: Any) -> np.ndarray:
    r"""CurvatureDescent against the best fixed point of the ball.

    .. math:: \frac12 \sum_{s \le t} \frac{G_s^2}{H_{1:s}}

    In units of loss. If a gradient is not 0 while :math:`H_{1:t} = 0`, the value is infinite from
    that round on: no bound holds. The lecture does not project points. The bound also holds if they
    are projected onto a set that contains the comparator.

    References
    ----------
    [1]_, Lemma 2.3.
    """
    norms, curvatures = np.broadcast_arrays(gradient_norms, curvatures)
    total = np.cumsum(curvatures, axis=-1, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(norms == 0, 0.0, norms * (norms / total))
    return np.cumsum(each, axis=-1) / 2


def adaptive_descent(gradient_norms: Any, curvatures: Any, *, radius: float) -> np.ndarray:
    r"""AdaptiveDescent against the best fixed point of the ball.

    .. math:: \frac12 D^2 \lambda_{1:t}
        + \frac12 \sum_{s \le t} \frac{(G_s + \lambda_s D)^2}{H_{1:s} + \lambda_{1:s}}

    In units of loss. :math:`\lambda_s` is the curvature that the agent adds in round s; the agent's
    docstring says how it corrects the lecture's formula. D is the radius and not the diameter,
    because the proof needs :math:`\lVert x\rVert \le D`.

    References
    ----------
    [1]_, section 2.4; [2]_, Theorem 3.1.
    """
    norms, added, total = _regularised(gradient_norms, curvatures, radius)
    steps = norms + added * radius
    each = added * radius**2 + _over(steps, total)
    return np.cumsum(each, axis=-1) / 2


def adaptive_descent_balanced(gradient_norms: Any, curvatures: Any, *, radius: float) -> np.ndarray:
    r"""A larger bound than ``adaptive_descent``, which the agent's :math:`\lambda_t` balances.

    .. math:: \frac32 D^2 \lambda_{1:t}
        + \sum_{s \le t} \frac{G_s^2}{H_{1:s} + \lambda_{1:s}}

    It follows from :math:`(a + b)^2 \le 2 a^2 + 2 b^2` and :math:`\lambda_s \le H_{1:s} +
    \lambda_{1:s}`. The agent takes the :math:`\lambda_s` with which the two terms that round s adds
    are equal.

    References
    ----------
    [2]_, proof of Theorem 3.1.
    """
    norms, added, total = _regularised(gradient_norms, curvatures, radius)
    each = 1.5 * radius**2 * added + _over(norms, total)
    return np.cumsum(each, axis=-1)


def online_gradient_descent(t: Any, *, gradient_norm: float, radius: float) -> np.ndarray:
    r"""OnlineGradientDescent against the best fixed point of the ball: :math:`3 D G \sqrt t`.

    In units of loss. This is :math:`(2D)^2 / (2 \eta_t) + \frac12 G^2 \sum_s \eta_s` with the step
    :math:`\eta_s = D / (G \sqrt s)`, bounded.

    Parameters
    ----------
    t : int or array
        Number of rounds.
    gradient_norm : float
        G, a bound on every :math:`G_s`, as the agent has it.
    radius : float
        D.

    References
    ----------
    M. Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient Ascent. ICML
    2003, Theorem 1.
    """
    return 3 * radius * gradient_norm * np.sqrt(t)


def _over(norms: np.ndarray, total: np.ndarray) -> np.ndarray:
    """norms² / total, and 0 where both are 0: before the first gradient."""
    return norms * np.divide(norms, total, out=np.zeros_like(total), where=norms > 0)


def _regularised(gradient_norms: Any, curvatures: Any, radius: float) -> tuple:
    """Gradient norms, the added curvature, and all curvature up to each round, each (.., T)."""
    norms, curvatures = np.broadcast_arrays(
        np.asarray(gradient_norms, dtype=np.float64), np.asarray(curvatures, dtype=np.float64)
    )
    added, total = np.zeros(norms.shape), np.cumsum(curvatures, axis=-1)
    for row in np.ndindex(norms.shape[:-1]):
        so_far = 0.0
        for s in range(norms.shape[-1]):
            at = (*row, s)
            added[at] = to_add(total[at] + so_far, norms[at], float(radius))
            so_far += added[at]
            total[at] += so_far
    return norms, added, total
