"""Ridge regression, tracked by one step of stochastic average gradient per round."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.descending_predictor import DescendingPredictor
from agents.parts.estimators import SAG
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class SAGRegression(DescendingPredictor):
    r"""Tracks ridge regression by one step per round along the average of stored gradients.

    .. math:: \hat y_t = x_t^\top \theta_{t-1}, \qquad
        \theta_t = \theta_{t-1} - \eta_t \Bigl(\frac{1}{t} \sum_{j \le t} r_j x_j
        + \frac{\lambda}{t} \theta_{t-1}\Bigr), \qquad
        \eta_t = \min\Bigl(\frac{\eta}{L}, \frac{2 d}{L t}\Bigr),

    where :math:`r_j` is the residual of sample j at its last evaluation. Each round evaluates its
    own sample and one drawn uniformly. Where the task has a bound, :math:`\hat y_t` is clipped to
    it. A round costs O(d) per replicate, and every sample is kept; see ``agents.estimators.SAG``.

    Its definition is ``tests/agents/definitions/regression/sag_regression.py``.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta` in (0, 1].
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    References
    ----------
    N. Le Roux, M. Schmidt, F. Bach. A Stochastic Gradient Method with an Exponential Convergence
    Rate for Finite Training Sets. NeurIPS 2012. N. Korda, L. A. Prashanth, R. Munos. Fast Gradient
    Descent for Drifting Least Squares Regression, with Application to Bandits. AAAI 2015.
    """

    paper: ClassVar = "Le Roux et al. 2012; Korda et al. 2015"
    search: ClassVar = {"learning_rate": Log(0.005, 1.0), "ridge": Log(0.001, 100.0)}

    learning_rate: float = 1 / 16
    ridge: float = 1.0

    def _estimator(self) -> SAG:
        return SAG(learning_rate=self.learning_rate, ridge=self.ridge)
