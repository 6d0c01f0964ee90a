"""OFUL: optimism over a confidence ellipsoid with the radius of a theorem."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.confidence import self_normalized, self_normalized_closed
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class OFUL(TheoremRadius):
    r"""Optimism in the face of uncertainty for linear bandits.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds and the confidence set
    :math:`\{\theta : \lVert\theta - \hat\theta_t\rVert_{V_t} \le \rho_t\}`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad \rho_t = \sqrt\lambda S +
        R\sqrt{2\log(1/\delta) + \log(\det V_t / \lambda^d)}.

    The set contains the true :math:`\theta` in all rounds with probability at least :math:`1 -
    \delta`. A round costs :math:`O(K d^2)` per replicate; for memory see
    ``agents.estimators.Ridge``.

    Its definition is ``tests/agents/definitions/linear/oful.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant (the guarantee is then lost).
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.
    radius : "theory", "closed" or float
        ``theory``: the radius above; ``closed``: its log-determinant replaced by its bound
        :math:`d\log(1 + (t-1)L^2/(\lambda d))`, which needs a bound L on the features' norm from
        the task; a number: that constant, in units of reward, as in LinUCB.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    Departs from the paper's section 5.1 in one way: the radius is recomputed every round, not only
    when the determinant has grown by a constant factor.

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Figure 1 and Theorem 2.
    """

    paper: ClassVar = "Abbasi-Yadkori et al. 2011, Figure 1"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    bounded: ClassVar = {"closed": "its closed radius"}
    theorems: ClassVar = ("theory", "closed")

    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        if self.radius == "closed":
            return self_normalized_closed(self._t, **self._known_bounded())
        return self_normalized(self.model.log_det, **self._known)
