r"""Gradient descent with the mean of its iterates."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.steps.descent_steps import DescentSteps
from agents.parts.estimators.samples import Descending, Samples
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, nonnegative, positive, ruled


@dataclass(frozen=True, kw_only=True)
class PolyakAveraging(Checked):
    r"""Gradient descent with longer steps; the estimate is the mean of all iterates.

    .. math:: \bar\theta_n = \frac{1}{n} \sum_{s=1}^n \theta_s, \qquad
        \gamma_n = \min(c\, n^{-\alpha}, 1/L),

    where :math:`\theta_n` are the iterates of :class:`GradientDescent` with this step. In the limit
    c need not depend on the least eigenvalue. At practical n the choice of c matters, because the
    mean includes the first iterates. A sample costs O(d); memory and state are those of
    ``GradientDescent``, with n d numbers more.

    Parameters
    ----------
    step : float
        c > 0, in units of one over the squared features.
    exponent : float
        :math:`\alpha` in (1/2, 1), without unit.
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    Notes
    -----
    Departs from the paper: a step is clipped at 1/L, and at :math:`1/\lambda_n`, which matters only
    for :math:`\lambda > n/\gamma_n`.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015. B. Polyak, A. Juditsky. Acceleration of
    Stochastic Approximation by Averaging. SIAM Journal on Control and Optimization 30, 1992.
    """

    step: float = checked(positive, 1.0)
    exponent: float = checked(
        ruled(lambda x: 0.5 < x < 1, "must be in (1/2, 1) for the mean to converge"), 0.75
    )
    ridge: float = checked(nonnegative, 0.0)

    def reset(self, task: FeatureTask, n: int, seeds: Any, *, rows: Any = None) -> Descending:
        """As in ``GradientDescent``."""
        iterate, average = np.zeros((n, task.dim)), np.zeros((n, task.dim))
        gain, exponent, ridge = float(self.step), float(self.exponent), float(self.ridge)
        steps = DescentSteps(iterate, average, gain, exponent, ridge)
        return Descending(Samples.initial(task, n, seeds, rows), steps)
