r"""Ridge regression by variance-reduced gradient steps."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.steps.svrg_steps import SVRGSteps
from agents.parts.estimators.samples import Descending, Samples, check_rate
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, nonnegative


@dataclass(frozen=True, kw_only=True)
class SVRG(Checked):
    r"""Stochastic variance-reduced gradient on a growing number of samples, one step per sample.

    The sum :math:`S = \sum_{j \le n} (x_j^\top w - y_j) x_j` over all samples, at an anchor w, is
    kept exact: each sample adds its term. If n has reached 1.5 times the n of the last anchor, w is
    set to theta before the step, and S is summed anew; the first time is n = 2. Then, with i
    uniform on 1..n,

    .. math:: \theta \leftarrow \theta - \frac{\eta}{L} \Bigl(x_i x_i^\top (\theta - w)
        + \frac{S}{n} + \lambda_n\theta\Bigr), \qquad \lambda_n = \frac{\lambda}{n},

    from theta = w = 0, where L is the largest squared length of a row. It tracks the ridge solution
    of all n samples in weakly excited directions too, because its steps do not shrink. A sample
    costs O(d) on average, and O(n d) if it moves the anchor.

    The state has the methods of ``GradientDescent``'s. Memory: n T (d + 1) numbers for T samples,
    at most twice that while the last chunk fills; with fixed arms 2 n T, and the arms.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta` in (0, 1].
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    Notes
    -----
    Korda et al. name the method and leave it to an appendix; the form for growing data is ours. L
    is that of the rows so far unless all rows are known. A step is at most
    :math:`1/\lambda_n`, which matters only for :math:`\lambda > n L/\eta`.

    References
    ----------
    R. Johnson, T. Zhang. Accelerating Stochastic Gradient Descent using Predictive Variance
    Reduction. NeurIPS 2013. N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting
    Least Squares Regression, with Application to Bandits. AAAI 2015.
    """

    learning_rate: float = checked(check_rate, 0.1)
    ridge: float = checked(nonnegative, 1.0)

    def reset(self, task: FeatureTask, n: int, seeds: Any, *, rows: Any = None) -> Descending:
        """As in ``GradientDescent``."""
        theta, anchor, total = (np.zeros((n, task.dim)) for _ in range(3))
        rates = float(self.learning_rate), float(self.ridge)
        steps = SVRGSteps(theta, anchor, total, np.zeros(n, np.int64), *rates)
        return Descending(Samples.initial(task, n, seeds, rows), steps)
