r"""Ridge regression by stochastic average gradient."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.steps.sag_steps import SAGSteps
from agents.parts.estimators.samples import Descending, Samples, check_rate
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, nonnegative


@dataclass(frozen=True, kw_only=True)
class SAG(Checked):
    r"""Stochastic average gradient on a growing number of samples, one step per sample.

    For every sample the residual :math:`r_j = x_j^\top\theta - y_j` at its last evaluation is
    stored, and so is :math:`G = \sum_{j \le n} r_j x_j`. After sample n its residual is added, the
    residual of a sample i uniform on 1..n is evaluated again, and

    .. math:: \theta \leftarrow \theta - \eta_n \Bigl(\frac{G}{n} + \lambda_n\theta\Bigr), \qquad
        \eta_n = \min\Bigl(\frac{\eta}{L}, \frac{2 d}{L n}\Bigr), \quad
        \lambda_n = \frac{\lambda}{n},

    from theta = 0, where L is the largest squared length of a row. If the step did not shrink, the
    error would stop falling, because the stored residuals are out of date. A sample costs O(d).

    The state has the methods of ``GradientDescent``'s. Memory: n T (d + 2) numbers for T samples,
    at most twice that while the last chunk fills; with fixed arms 3 n T, and the arms.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta` in (0, 1]; the paper proves convergence for 1/16.
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    Notes
    -----
    Korda et al. name the method and leave it to an appendix; the form for growing data is ours. L
    is that of the rows so far unless all rows are known. A step is at most
    :math:`1/\lambda_n`, which matters only for :math:`\lambda > n/\eta_n`.

    References
    ----------
    N. Le Roux, M. Schmidt, F. Bach. A Stochastic Gradient Method with an Exponential Convergence
    Rate for Finite Training Sets. NeurIPS 2012. N. Korda, L. A. Prashanth, R. Munos. Fast Gradient
    Descent for Drifting Least Squares Regression, with Application to Bandits. AAAI 2015.
    """

    learning_rate: float = checked(check_rate, 1 / 16)
    ridge: float = checked(nonnegative, 1.0)

    def reset(self, task: FeatureTask, n: int, seeds: Any, *, rows: Any = None) -> Descending:
        """As in ``GradientDescent``."""
        theta, total = (np.zeros((n, task.dim)) for _ in range(2))
        steps = SAGSteps(theta, total, float(self.learning_rate), float(self.ridge))
        return Descending(Samples.initial(task, n, seeds, rows, beside=1), steps)
