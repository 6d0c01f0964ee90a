r"""Gradient descent with the mean of its iterates."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.estimators.gradient_descent import DescentState
from agents.estimators.samples import Samples
from banditgym.settings import nonnegative, positive, real


@dataclass(frozen=True, kw_only=True)
class PolyakAveraging:
    r"""Gradient descent with longer steps, and the mean of all iterates for an estimate.

    .. math:: \bar\theta_n = \frac{1}{n} \sum_{s=1}^n \theta_s, \qquad
        \gamma_n = \min(c\, n^{-\alpha}, 1/L),

    the iterates :math:`\theta_n` those of :class:`GradientDescent` with this step. In the limit no
    c need be chosen by the least eigenvalue; at usable n the start that the mean carries along
    depends on c all the same. A sample costs O(d); memory and state are those of
    ``GradientDescent``, and n d numbers.

    Parameters
    ----------
    step : float
        c > 0.
    exponent : float
        :math:`\alpha` in (1/2, 1).
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    Notes
    -----
    Departs from the paper where a step is clipped, at 1/L, and at :math:`1/\lambda_n`, which only a
    :math:`\lambda > n/\gamma_n` reaches.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015. B. Polyak, A. Juditsky. Acceleration of
    Stochastic Approximation by Averaging. SIAM Journal on Control and Optimization 30, 1992.
    """

    step: float = 1.0
    exponent: float = 0.75
    ridge: float = 0.0

    def __post_init__(self):
        positive("step", self.step)
        if not 0.5 < real("exponent", self.exponent) < 1:
            raise ValueError(
                f"exponent must be in (1/2, 1) for the mean to converge, got {self.exponent}"
            )
        nonnegative("ridge", self.ridge)

    def reset(self, task: Any, n: int, seeds: Any, *, rows: Any = None) -> DescentState:
        """As of ``GradientDescent``."""
        return DescentState(
            samples=Samples.empty(task, n, seeds, rows),
            ridge=float(self.ridge),
            gain=float(self.step),
            exponent=float(self.exponent),
            iterate=np.zeros((n, task.dim)),
            average=np.zeros((n, task.dim)),
        )
