"""Least squares, tracked by one gradient step per round."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.descending_predictor import DescendingPredictor
from agents.parts.estimators import GradientDescent
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class GradientDescentRegression(DescendingPredictor):
    r"""fOLS-GD, and with a ridge fRLS-GD: one gradient step per round tracks the regression.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_t = \theta_{t-1} - \gamma_t \bigl((x_i^\top\theta_{t-1} - y_i) x_i
        + \tfrac{\lambda}{t} \theta_{t-1}\bigr), \quad i \text{ uniform on } 1..t,

    with :math:`\gamma_t = \min(c / (4 (c + t)), 1/L)`, where t counts rounds whose outcome was
    observed. Where the task has a bound, :math:`\hat y_t` is clipped to it. A round costs O(d) per
    replicate, and every sample is kept. For guarantees, memory and departures from the paper see
    ``agents.estimators.GradientDescent``.

    Its definition is ``tests/agents/definitions/regression/gradient_descent_regression.py``.

    Parameters
    ----------
    step : float, optional
        c > 0, in samples; :math:`4 \rho d` if None.
    rho : float
        :math:`\rho > 1/2`, without unit, used where ``step`` is None.
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015, equations (2), (3), (9), (10).
    """

    paper: ClassVar = "Korda et al. 2015, fOLS-GD"
    search: ClassVar = {"step": Log(1.0, 1000.0), "ridge": Log(0.001, 10.0)}

    step: float | None = None
    rho: float = 4 / 3
    ridge: float = 0.0

    def _estimator(self) -> GradientDescent:
        return GradientDescent(step=self.step, rho=self.rho, ridge=self.ridge)
