"""Ridge regression, tracked by one variance-reduced gradient step per round."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.descending_predictor import DescendingPredictor
from agents.parts.estimators import SVRG
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class SVRGRegression(DescendingPredictor):
    r"""Tracks ridge regression by one variance-reduced gradient step per round.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_t = \theta_{t-1} - \frac{\eta}{L} \Bigl(x_i x_i^\top (\theta_{t-1} - w)
        + \frac{S}{t} + \frac{\lambda}{t} \theta_{t-1}\Bigr), \quad i \text{ uniform on } 1..t,

    where the anchor w moves when t has grown by half, and S is the sum of all gradients at w. Where
    the task has a bound, :math:`\hat y_t` is clipped to it. A round costs O(d) per replicate on
    average, and every sample is kept; see ``agents.estimators.SVRG``.

    Its definition is ``tests/agents/definitions/regression/svrg_regression.py``.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta` in (0, 1].
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    References
    ----------
    R. Johnson, T. Zhang. Accelerating Stochastic Gradient Descent using Predictive Variance
    Reduction. NeurIPS 2013. N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting
    Least Squares Regression, with Application to Bandits. AAAI 2015.
    """

    paper: ClassVar = "Johnson & Zhang 2013; Korda et al. 2015"
    search: ClassVar = {"learning_rate": Log(0.005, 1.0), "ridge": Log(0.001, 100.0)}

    learning_rate: float = 0.1
    ridge: float = 1.0

    def _estimator(self) -> SVRG:
        return SVRG(learning_rate=self.learning_rate, ridge=self.ridge)
