"""Least squares, tracked by the mean of gradient descent's iterates."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.descending_predictor import DescendingPredictor
from agents.parts.estimators import PolyakAveraging
from agents.search import Linear, Log


@dataclass(kw_only=True, eq=False)
class PolyakRegression(DescendingPredictor):
    r"""Predicts with the mean of gradient descent's iterates, which take longer steps.

    .. math:: \hat y_t = x_t^\top \bar\theta_{t-1}, \qquad
        \bar\theta_t = \frac{1}{t} \sum_{s=1}^t \theta_s, \qquad
        \gamma_t = \min(c\, t^{-\alpha}, 1/L),

    where :math:`\theta_s` are the iterates of :class:`GradientDescentRegression` with this step.
    Where the task has a bound, :math:`\hat y_t` is clipped to it. A round costs O(d) per replicate,
    and every sample is kept; see ``agents.estimators.PolyakAveraging``.

    Its definition is ``tests/agents/definitions/regression/polyak_regression.py``.

    Parameters
    ----------
    step : float
        c > 0, in units of one over the squared features.
    exponent : float
        :math:`\alpha` in (1/2, 1), without unit.
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015. B. Polyak, A. Juditsky. Acceleration of
    Stochastic Approximation by Averaging. SIAM Journal on Control and Optimization 30, 1992.
    """

    paper: ClassVar = "Polyak & Juditsky 1992; Korda et al. 2015"
    search: ClassVar = {
        "step": Log(0.1, 100.0),
        "exponent": Linear(0.51, 0.99),
        "ridge": Log(0.001, 10.0),
    }

    step: float = 1.0
    exponent: float = 0.75
    ridge: float = 0.0

    def _estimator(self) -> PolyakAveraging:
        return PolyakAveraging(step=self.step, exponent=self.exponent, ridge=self.ridge)
