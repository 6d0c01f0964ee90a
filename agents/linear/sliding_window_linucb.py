"""SlidingWindowLinUCB: optimism with a regression on the last observations alone."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level, norm_bound
from agents.numerics.choice import most_optimistic
from agents.parts.confidence import check_radius, sliding_window
from agents.parts.estimators import Window
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class SlidingWindowLinUCB(Agent):
    r"""SW-UCB for linear bandits: only the last W observations count.

    With ridge regression :math:`\hat\theta_t, V_t` of the last W rounds, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad
        \rho = \sqrt\lambda S + R \sqrt{d \log\left(\frac{1 + W L^2 / \lambda}{\delta}\right)}.

    A round costs :math:`O(d^3 + K d^2)` per replicate; for memory see ``agents.estimators.Window``.

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
        S, a bound on the norm of theta; the task's if None.
    radius : "theory" or float
        ``theory``: the radius above, which needs a bound L on the features' norm from the task; a
        number: that constant, as in LinUCB.

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
    scope: ClassVar = "for drift"
    from_task: ClassVar = {"noise_std": noise_level, "param_norm": norm_bound}

    window: int = 200
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def __post_init__(self):
        Window(window=self.window, ridge=self.ridge)
        check_radius(
            self.radius, ("theory",), delta=self.delta, noise_std=self.noise_std,
            param_norm=self.param_norm,
        )  # fmt: skip

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and self.radius == "theory" and task.feature_norm is None:
            return "its radius needs a bound on the features' norm, and there is none"
        return reason

    def _start(self) -> None:
        self.model = Window(window=self.window, ridge=self.ridge).reset(self.task, self.n)
        self._radius = np.full(self.n, self._width())

    def _width(self) -> float:
        if not isinstance(self.radius, str):
            return float(self.radius)
        task = self.task
        return sliding_window(
            window=self.window, dim=task.dim, ridge=self.ridge, delta=self.delta,
            noise_std=self.known("noise_std"), param_norm=self.known("param_norm"),
            feature_norm=task.feature_norm,
        )  # fmt: skip

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self.model.predict(contexts)
        return most_optimistic(mean, variance, self._radius)

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)
