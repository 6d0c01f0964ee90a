r"""Gradient steps on the mean square loss of a growing number of samples.

After sample n, an i is drawn uniformly on 1..n, and

.. math:: \theta_n = \theta_{n-1} - \gamma_n \bigl((x_i^\top\theta_{n-1} - y_i) x_i
    + \lambda_n \theta_{n-1}\bigr), \qquad \lambda_n = \lambda / n,

an unbiased step towards the ridge solution of all n samples. For samples see ``sample_chunks.py``;
they have no numbers beside the outcome.
"""

from typing import NamedTuple

import numpy as np

from agents.numerics.steps.sample_chunks import (
    add_row,
    along,
    drawn,
    first_too_long,
    keep,
    outcome_at,
    sample_at,
)
from banditgym.compiled import inlined
from banditgym.elementary import power


class DescentSteps(NamedTuple):
    r"""The estimate of gradient descent for n replicates, and what its steps need.

    Attributes
    ----------
    iterate : ndarray of shape (n, d)
        :math:`\theta_n`.
    average : ndarray of shape (n, d)
        The mean of the iterates; (n, 0) where they are not averaged.
    gain, exponent, ridge : float
        The step is :math:`\gamma_n = c / (4 (c + n))` with ``gain`` c if ``exponent`` is 0, else
        :math:`c\, n^{-\text{exponent}}`; never above 1/L, L the square of the longest row, nor
        above :math:`1/\lambda_n`; ``ridge`` is :math:`\lambda`.
    """

    iterate: np.ndarray
    average: np.ndarray
    gain: float
    exponent: float
    ridge: float

    @property
    def theta(self) -> np.ndarray:
        """The estimate (n, d)."""
        return self.average if self.average.size else self.iterate


@inlined
def learn_by_descent(steps, samples, features, arms, outcomes, observed):
    """``learn`` of ``gradient_steps.py``."""
    chunks, table, count, longest, keys = samples
    iterate, average, gain, exponent, ridge = steps
    n = iterate.shape[0]
    squares = np.empty(n)
    bad = first_too_long(table, features, arms, observed, squares)
    if bad >= 0:
        return bad
    for i in range(n):
        if not observed[i]:
            continue
        sample = sample_at(chunks, i, count[i])
        keep(sample, table, features, arms[i], outcomes[i], i)
        count[i] += 1
        longest[i] = max(longest[i], squares[i])
        drawn_one = sample_at(chunks, i, drawn(keys, count, i, 0))
        share = ridge / count[i]
        gamma = min(_step(gain, exponent, count[i]), 1.0 / longest[i], 1.0 / share)
        theta = iterate[i]
        residual = along(drawn_one, table, i, theta) - drawn_one[outcome_at(table)]
        add_row(-gamma * residual, drawn_one, table, i, 1.0 - gamma * share, theta)
        for j in range(average.shape[1]):
            average[i, j] += (theta[j] - average[i, j]) / count[i]
    return -1


@inlined
def _step(gain, exponent, n):
    return gain / (4.0 * (gain + n)) if exponent == 0.0 else gain * power(n, -exponent)
