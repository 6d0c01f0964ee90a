r"""Regret and bounds of descent, recomputed from what was played and revealed.

Losses whose curvature is the same everywhere and in every direction are known from the point
:math:`x_t` played, the gradient :math:`g_t` there and the curvature :math:`H_t`:

.. math:: \ell_t(u) - \ell_t(x_t) = \langle g_t, u - x_t \rangle
    + \frac{H_t}2 \lVert u - x_t \rVert^2.

Nothing here is taken from agents, so that a fault in one of them is not on both sides.
"""

from typing import NamedTuple

import numpy as np


class Ledger(NamedTuple):
    """The rounds of n runs: points and gradients (n, T, d), curvatures (n, T)."""

    points: np.ndarray
    gradients: np.ndarray
    curvatures: np.ndarray

    @property
    def norms(self) -> np.ndarray:
        """Norms of the gradients (n, T)."""
        return np.linalg.norm(self.gradients, axis=-1)

    def curved_by(self, added: np.ndarray) -> "Ledger":
        r"""The same rounds with :math:`\frac{\lambda_t}2 \lVert\cdot\rVert^2` added to the losses.

        ``added`` are the :math:`\lambda_t` (n, T).
        """
        gradients = self.gradients + added[:, :, None] * self.points
        return Ledger(self.points, gradients, self.curvatures + added)


def regret(played: Ledger, ridge: float = 0.0) -> np.ndarray:
    r"""Regret (n, T) after every round against the best fixed point of the unit ball.

    With a ridge :math:`\rho`, that point minimises the sum of the losses plus
    :math:`\frac\rho2 \lVert u \rVert^2`, which is counted in its favour.
    """
    points, gradients, curvatures = played
    quadratic = np.cumsum(curvatures, axis=1) + ridge
    pull = np.cumsum(curvatures[:, :, None] * points - gradients, axis=1)
    at_zero = gradients * points - curvatures[:, :, None] / 2 * points**2
    paid = np.cumsum(at_zero.sum(axis=-1), axis=1)
    norm = np.linalg.norm(pull, axis=-1)
    inside = norm < quadratic
    safe = np.where(inside, quadratic, 1.0)
    return paid + np.where(inside, norm**2 / (2 * safe), norm - quadratic / 2)


def steps(played: Ledger, ridge: float = 0.0) -> np.ndarray:
    r"""Lemma 2.3's bound :math:`\frac12 \sum_s \lVert g_s\rVert^2 / (\rho + H_{1:s})`, (n, T)."""
    total = ridge + np.cumsum(played.curvatures, axis=1)
    with np.errstate(divide="ignore"):
        return np.cumsum(played.norms**2 / total, axis=1) / 2


def balancing(played: Ledger) -> np.ndarray:
    r"""The :math:`\lambda_t` (n, T) of section 2.4, with :math:`\lambda_{1:t-1}` on the right."""
    norms, curvature = played.norms, np.cumsum(played.curvatures, axis=1)
    added, so_far = np.empty(norms.shape), np.zeros(len(norms))
    for t in range(norms.shape[1]):
        before, under = curvature[:, t] + so_far, 8 / 3 * norms[:, t] ** 2
        # (sqrt(h² + u) - h) / 2, without cancellation
        added[:, t] = under / (2 * (np.sqrt(before**2 + under) + before))
        so_far = so_far + added[:, t]
    return added


def adaptive(played: Ledger, added: np.ndarray) -> np.ndarray:
    """The bound of section 2.4 on regret, (n, T), where D = 1."""
    total = np.cumsum(played.curvatures + added, axis=1)
    return np.cumsum(added + (played.norms + added) ** 2 / total, axis=1) / 2
