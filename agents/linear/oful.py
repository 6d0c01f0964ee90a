"""OFUL: optimism over a confidence ellipsoid whose radius is a theorem's."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level
from agents.confidence import self_normalized, self_normalized_closed
from agents.estimators import Ridge
from agents.linear.rules import most_optimistic
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class OFUL(Agent):
    r"""Optimism in the face of uncertainty for linear bandits.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds and the confidence set
    :math:`\{\theta : \lVert\theta - \hat\theta_t\rVert_{V_t} \le \rho_t\}`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad
        \rho_t = \sqrt\lambda S + R\sqrt{2\log(1/\delta) + \log(\det V_t / \lambda^d)},

    which contains the true :math:`\theta` for all t with probability :math:`1 - \delta`. A round
    costs :math:`O(K d^2)` per replicate; for memory see ``agents.estimators.Ridge``.

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
        S, a bound on the norm of theta; the task's if None.
    radius : "theory", "closed" or float
        ``theory``: the radius above; ``closed``: the log-determinant replaced by its bound
        :math:`d\log(1 + (t-1)L^2/(\lambda d))`, which needs a bound L on the features' norm from
        the task; a number: that constant, as in LinUCB.

    Attributes
    ----------
    model : agents.estimators.ridge.FreshArms or FixedArms
        The ridge regression.

    Notes
    -----
    Departs from the paper in one way: the radius is recomputed every round, not only when the
    determinant has grown by a constant factor (its section 5.1).

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Figure 1 and Theorem 2.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Abbasi-Yadkori et al. 2011, Figure 1"
    from_task: ClassVar = {"noise_std": noise_level, "param_norm": lambda task: task.param_norm}

    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def __post_init__(self):
        Ridge(ridge=self.ridge)
        if not 0 < self.delta < 1:
            raise ValueError(f"delta is a probability and must be in (0, 1), got {self.delta}")
        for name in ("noise_std", "param_norm"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise ValueError(f"{name} must be finite and >= 0, got {value}")
        if isinstance(self.radius, str):
            if self.radius not in ("theory", "closed"):
                raise ValueError(f"radius must be theory, closed or a number, got {self.radius!r}")
        elif not 0 <= self.radius < np.inf:
            raise ValueError(f"radius must be >= 0 for optimism, got {self.radius}")

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and self.radius == "closed" and task.feature_norm is None:
            return "its closed radius needs a bound on the features' norm, and there is none"
        return reason

    def _start(self) -> None:
        self.model = Ridge(ridge=self.ridge).reset(self.task, self.n)
        self._t = np.zeros(self.n, np.int64)
        self._noise_std = self.known("noise_std")
        self._param_norm = self.known("param_norm")

    def radii(self) -> np.ndarray:
        """The radius of each replicate's confidence set in the coming round, (n,)."""
        if not isinstance(self.radius, str):
            return np.full(self.n, float(self.radius))
        known = {
            "ridge": self.ridge,
            "delta": self.delta,
            "noise_std": self._noise_std,
            "param_norm": self._param_norm,
        }
        if self.radius == "closed":
            task = self.task
            return self_normalized_closed(
                self._t, dim=task.dim, feature_norm=task.feature_norm, **known
            )
        return self_normalized(self.model.log_det, **known)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self.model.predict(contexts)
        return most_optimistic(mean, variance, self.radii())

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)
        self._t += observed
