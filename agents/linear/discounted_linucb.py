"""DiscountedLinUCB: optimism with a discounted regression, for a parameter that drifts."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.confidence import discounted
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.parts.estimators import Discounted
from agents.search import Choice, Log
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class DiscountedLinUCB(TheoremRadius):
    r"""D-LinUCB: the weight of past rounds decays geometrically.

    With :math:`V_t = \lambda I + \sum_{s<t} \gamma^{t-1-s} x_s x_s^\top`,
    :math:`W_t = \lambda I + \sum_{s<t} \gamma^{2(t-1-s)} x_s x_s^\top` and
    :math:`\hat\theta_t = V_t^{-1} \sum_{s<t} \gamma^{t-1-s} r_s x_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1} W_t V_t^{-1}},
    .. math:: \rho_t = \sqrt\lambda S + R \sqrt{2 \log(1/\delta) + d \log\left(1
        + \frac{L^2 (1 - \gamma^{2(t-1)})}{\lambda d (1 - \gamma^2)}\right)}.

    At :math:`\gamma = 1` it is ``OFUL(radius="closed")``. A round costs :math:`O(d^3 + K d^2)` per
    replicate; for memory see ``agents.estimators.Discounted``.

    Its definition is ``tests/agents/definitions/linear/discounted_linucb.py``.

    Parameters
    ----------
    discount : float
        :math:`\gamma`, in (0, 1]. The estimate rests on about the last :math:`1/(1 - \gamma)`
        rounds. The paper takes :math:`1 - (B_T / (d T))^{2/3}`, where :math:`B_T` is the total
        variation of theta.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.
    radius : "theory" or float
        ``theory``: the radius above, which needs a bound L on the features' norm from the task; a
        number: that constant, in units of reward, as in LinUCB.

    Attributes
    ----------
    model : agents.parts.estimators.discounted.DiscountedArms
        The discounted regression.

    Notes
    -----
    A round whose reward is not observed does not discount the past.

    References
    ----------
    Y. Russac, C. Vernade, O. Cappé. Weighted Linear Bandits for Non-Stationary Environments.
    NeurIPS 2019, Algorithm 1.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Russac et al. 2019, Algorithm 1"
    search: ClassVar = {
        "discount": Choice((0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)),
        "radius": Log(0.01, 10.0),
        "ridge": Log(0.01, 100.0),
    }
    scope: ClassVar = "for drift"
    forward: ClassVar[bool] = False  # whether the estimator is the forward one

    discount: float = 0.995
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def _regression(self) -> Discounted:
        return Discounted(discount=self.discount, ridge=self.ridge, forward=self.forward)

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        return discounted(self._t, discount=self.discount, **self._known_bounded())
