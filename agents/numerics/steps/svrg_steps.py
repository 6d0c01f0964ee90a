r"""Steps of stochastic variance-reduced gradient on a growing number of samples.

At an anchor w the sum :math:`S = \sum_j (x_j^\top w - y_j) x_j` over all samples is kept: each
sample adds its own term. When n has reached 1.5 times the n of the last anchor, first at n = 2, the
anchor becomes the current theta and S is summed anew, which costs O(d) per sample on average. Then,
with i uniform on 1..n,

.. math:: \theta \leftarrow \theta - \eta \bigl(x_i x_i^\top (\theta - w) + S / n
    + \lambda_n \theta\bigr), \qquad \lambda_n = \lambda / n.

For samples see ``sample_chunks.py``; they have no numbers beside the outcome.
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


class SVRGSteps(NamedTuple):
    r"""The estimate of SVRG for n replicates, and what its steps need.

    Attributes
    ----------
    theta, anchor, total : ndarray of shape (n, d)
        :math:`\theta`, w and S.
    anchored : ndarray of shape (n,)
        The number of samples at the last anchor; 0 before the first.
    rate, ridge : float
        The step is :math:`\eta` = ``rate`` / L, L the square of the longest row, and never above
        :math:`1/\lambda_n`; ``ridge`` is :math:`\lambda`.
    """

    theta: np.ndarray
    anchor: np.ndarray
    total: np.ndarray
    anchored: np.ndarray
    rate: float
    ridge: float


@compiled
def learn_by_svrg(steps, samples, features, arms, outcomes, observed):
    """``learn`` of ``gradient_steps.py``."""
    chunks, table, count, longest, keys = samples
    theta, anchor, total, anchored, rate, ridge = steps
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
        if count[i] >= 2 and 2 * count[i] >= 3 * anchored[i]:
            anchored[i] = count[i]
            for j in range(dim):
                anchor[i, j] = theta[i, j]
                total[i, j] = 0.0
            for s in range(count[i]):
                _add_term(sample_at(chunks, i, s), table, anchor, total, i)
        else:
            _add_term(sample, table, anchor, total, i)
        share = ridge / count[i]
        eta = min(rate / longest[i], 1.0 / share)
        if eta < math.inf:  # else all rows are 0, and so is theta
            drawn_one = sample_at(chunks, i, drawn(keys, count, i, 0))
            weight = along(drawn_one, table, i, theta[i])
            weight -= along(drawn_one, table, i, anchor[i])
            kept, mean = 1.0 - eta * share, eta / count[i]
            for j in range(dim):
                theta[i, j] = kept * theta[i, j] - mean * total[i, j]
            add_row(-eta * weight, drawn_one, table, i, 1.0, theta[i])
    return -1


@inlined
def _add_term(sample, table, anchor, total, i):
    residual = along(sample, table, i, anchor[i]) - sample[outcome_at(table)]
    add_row(residual, sample, table, i, 1.0, total[i])
