"""SlidingWindowLinUCB: optimism with a regression on the most recent observations."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.confidence import sliding_window
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.parts.estimators import Window
from agents.search import Log
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class SlidingWindowLinUCB(TheoremRadius):
    r"""SW-UCB for linear bandits: the regression uses only the last W observations.

    With ridge regression :math:`\hat\theta_t, V_t` of the last W rounds, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad
        \rho = \sqrt\lambda S + R \sqrt{d \log\left(\frac{1 + W L^2 / \lambda}{\delta}\right)}.

    A round costs :math:`O(d^3 + K d^2)` per replicate; for memory see ``agents.estimators.Window``.

    Its definition is ``tests/agents/definitions/linear/sliding_window_linucb.py``.

    Parameters
    ----------
    window : int
        W >= 1, in observations.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure in a round, in (0, 1).
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
    model : agents.parts.estimators.window.WindowArms
        The regression on the window.

    Notes
    -----
    A round whose reward is not observed does not move the window.

    References
    ----------
    W. C. Cheung, D. Simchi-Levi, R. Zhu. Learning to Optimize under Non-Stationarity.
    AISTATS 2019, Algorithm 1.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Cheung et al. 2019, Algorithm 1"
    search: ClassVar = {
        "window": Log(50, 2000),
        "radius": Log(0.01, 10.0),
        "ridge": Log(0.01, 100.0),
    }
    scope: ClassVar = "for drift"

    window: int = 200
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def _regression(self) -> Window:
        return Window(window=self.window, ridge=self.ridge)

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        return np.full(self.n, sliding_window(window=self.window, **self._known_bounded()))
