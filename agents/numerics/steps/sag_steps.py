r"""Steps of the stochastic average gradient on a growing number of samples.

For every sample the residual :math:`r_j = x_j^\top\theta - y_j` is stored, at the theta of its last
evaluation, and so is :math:`G = \sum_j r_j x_j`. The residual of sample n is added, that of an i
uniform on 1..n is evaluated again, and

.. math:: \theta \leftarrow \theta - \eta_n (G / n + \lambda_n \theta), \qquad
    \lambda_n = \lambda / n.

For samples see ``sample_chunks.py``; each has its residual after the outcome.
"""

import math
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
from banditgym.compiled import compiled, inlined


class SAGSteps(NamedTuple):
    r"""The estimate of SAG for n replicates, and what its steps need.

    Attributes
    ----------
    theta, total : ndarray of shape (n, d)
        :math:`\theta` and G.
    rate, ridge : float
        The step is :math:`\eta_n = \min(\text{rate} / L, 2 d / (L n))`, L the square of the longest
        row, and never above :math:`1/\lambda_n`; ``ridge`` is :math:`\lambda`.
    """

    theta: np.ndarray
    total: np.ndarray
    rate: float
    ridge: float


@compiled
def learn_by_sag(steps, samples, features, arms, outcomes, observed):
    """``learn`` of ``gradient_steps.py``."""
    chunks, table, count, longest, keys = samples
    theta, total, rate, ridge = steps
    n, dim = theta.shape
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
        sample[outcome_at(table) + 1] = 0.0
        _look(sample, table, theta, total, i)
        _look(sample_at(chunks, i, drawn(keys, count, i, 0)), table, theta, total, i)
        share = ridge / count[i]
        eta = min(min(rate, 2.0 * dim / count[i]) / longest[i], 1.0 / share)
        if eta < math.inf:  # else all rows are 0, and so is theta
            kept, mean = 1.0 - eta * share, eta / count[i]
            for j in range(dim):
                theta[i, j] = kept * theta[i, j] - mean * total[i, j]
    return -1


@inlined
def _look(sample, table, theta, total, i):
    """Evaluate the residual of a sample again, and update the sum."""
    at = outcome_at(table)
    residual = along(sample, table, i, theta[i]) - sample[at]
    change = residual - sample[at + 1]
    sample[at + 1] = residual
    add_row(change, sample, table, i, 1.0, total[i])
