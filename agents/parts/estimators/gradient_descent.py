r"""Least squares and ridge regression by one gradient step per sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.steps.descent_steps import DescentSteps
from agents.parts.estimators.samples import Descending, Samples
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, nonnegative, positive, ruled


@dataclass(frozen=True, kw_only=True)
class GradientDescent(Checked):
    r"""fOLS-GD, and with a ridge fRLS-GD: each step uses a sample drawn from all samples so far.

    After sample n, an index i is drawn uniformly from 1..n, and

    .. math:: \theta_n = \theta_{n-1} - \gamma_n \bigl((x_i^\top\theta_{n-1} - y_i) x_i
        + \lambda_n \theta_{n-1}\bigr), \qquad
        \gamma_n = \min\Bigl(\frac{c}{4 (c + n)}, \frac{1}{L}\Bigr), \quad
        \lambda_n = \frac{\lambda}{n},

    from :math:`\theta_0 = 0`, where L is the largest squared length of a row. It tracks the least
    squares (ridge) solution of all n samples, in O(d) per sample. If :math:`\bar A_n = \sum_s x_s
    x_s^\top / n` tends to a matrix with eigenvalues :math:`l_k`, the noise has variance
    :math:`\sigma^2`, and :math:`\rho_k = c l_k / 4 > 1/2`, then

    .. math:: n\,E\lVert\theta_n - \theta_n^{OLS}\rVert^2 \to
        \sigma^2 \sum_k \frac{1 + \rho_k^2}{(2\rho_k - 1) l_k}.

    A direction with :math:`\rho_k < 1/2` converges only at the rate :math:`n^{-\rho_k}`.

    The state offers ``theta`` (n, d), ``count`` (n,), ``predict(contexts)``, ``update(..)`` as
    other estimators do, and ``learn(rows, outcome, observed)`` for rows (n, d).

    Memory: n T (d + 1) numbers for T samples, at most twice that while the last chunk fills; with
    fixed arms 2 n T, and the arms.

    Parameters
    ----------
    step : float, optional
        c > 0, in samples; :math:`4 \rho d` if None, which gives :math:`\rho_k = \rho` for rows of
        length 1 that are isotropic.
    rho : float
        :math:`\rho > 1/2`, without unit, used where ``step`` is None; 1 to 1.6 is the useful range.
    ridge : float
        :math:`\lambda \ge 0`, on the scale of the squared features; 0 is least squares.

    Notes
    -----
    Departs from the paper: the paper's step c/n diverges in the first rounds, so it is replaced by
    the step above, which tends to a/n with a = c/4. The step is clipped at 1/L and at
    :math:`1/\lambda_n`. L is that of the rows so far unless all rows are known; the second bound
    matters only for :math:`\lambda > n/\gamma_n`. The regulariser of eq. (3) is
    :math:`(\lambda_n/2)\lVert\theta\rVert^2`: without the 1/2, the other equations of the paper do
    not hold.

    References
    ----------
    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015; equations (2), (3), (9), (10).
    """

    step: float | None = checked(positive, None)
    rho: float = checked(
        ruled(lambda x: 0.5 < x < np.inf, "must be finite and > 1/2 for theta to converge"), 4 / 3
    )
    ridge: float = checked(nonnegative, 0.0)

    def reset(self, task: FeatureTask, n: int, seeds: Any, *, rows: Any = None) -> Descending:
        """The state before any data, for n replicates of a task with seeds (n,).

        Given ``rows`` (r, d), all samples are among these rows: ``learn`` takes the numbers (n,) of
        rows in place of the rows, L is known from the start, and a sample needs 2 numbers of
        memory.
        """
        gain = 4.0 * self.rho * task.dim if self.step is None else float(self.step)
        iterate, nothing = np.zeros((n, task.dim)), np.zeros((n, 0))
        steps = DescentSteps(iterate, nothing, gain, 0.0, float(self.ridge))
        return Descending(Samples.initial(task, n, seeds, rows), steps)
