r"""Steps of the stochastic average gradient on a growing number of samples.

For every sample the residual :math:`r_j = x_j^\top\theta - y_j` is stored, at the theta of its last
evaluation, and so is :math:`G = \sum_j r_j x_j`. The residual of sample n is added, that of an i
uniform on 1..n is evaluated again, and

.. math:: \theta \leftarrow \theta - \eta_n (G / n + \lambda_n \theta), \qquad
    \lambda_n = \lambda / n.

For samples see ``sample_chunks.py``; each has its residual after the outcome.
"""

import math

import numpy as np

from agents.numerics.sample_chunks import (
    add_row,
    along,
    drawn,
    first_too_long,
    keep,
    outcome_at,
    predict_within,
    sample_at,
)
from banditgym.compiled import compiled, inlined


@compiled
def learn_by_sag(
    chunks, table, count, longest, keys, theta, total, rate, ridge, features, arms, outcomes,
    observed,
):  # fmt: skip
    r"""Keep samples and make a step each, where ``observed`` (n,).

    ``total`` (n, d) is G. The step is :math:`\min(\text{rate} / L, 2 d / (L n))`, L the square of
    the ``longest`` row, and never above :math:`1/\lambda_n`.

    Returns the first replicate whose row is not finite, or so long that its square is not, before
    anything is changed, or -1; and the largest count.
    """
    n, dim = theta.shape
    squares = np.empty(n)
    bad = first_too_long(table, features, arms, observed, squares)
    if bad >= 0:
        return bad, 0
    most = 0
    for i in range(n):
        if observed[i]:
            sample = sample_at(chunks, i, count[i])
            keep(sample, table, count, longest, features, arms, outcomes, squares, i)
            sample[outcome_at(table, dim) + 1] = 0.0
            _look(sample, table, theta, total, i)
            _look(sample_at(chunks, i, drawn(keys, count, i, 0)), table, theta, total, i)
            share = ridge / count[i]
            eta = min(min(rate, 2.0 * dim / count[i]) / longest[i], 1.0 / share)
            if eta < math.inf:  # else all rows are 0, and so is theta
                kept, mean = 1.0 - eta * share, eta / count[i]
                for j in range(dim):
                    theta[i, j] = kept * theta[i, j] - mean * total[i, j]
        most = max(most, count[i])
    return -1, most


@inlined
def _look(sample, table, theta, total, i):
    """Evaluate the residual of a sample again, and update the sum."""
    at = outcome_at(table, theta.shape[1])
    residual = along(sample, table, i, theta[i]) - sample[at]
    change = residual - sample[at + 1]
    sample[at + 1] = residual
    add_row(change, sample, table, i, 1.0, total[i])


@compiled
def play_by_sag(
    chunks, table, count, longest, keys, theta, total, rate, ridge, bound, rows, outcomes,
    predictions,
):  # fmt: skip
    """Predict and learn the rows (m, n, d, 1), round by round; predictions (m, n) within ``bound``.

    Returns the first bad replicate, or -1.
    """
    rounds, n = outcomes.shape
    arms, everyone = np.zeros(n, np.int64), np.ones(n, np.bool_)
    mean, outcome = np.empty((n, 1)), np.empty(n)
    for t in range(rounds):
        bad = predict_within(theta, rows[t], bound, mean, predictions[t])
        if bad >= 0:
            return bad
        outcome[:] = outcomes[t]  # a copy: a read-only array would be another type
        bad, _ = learn_by_sag(
            chunks, table, count, longest, keys, theta, total, rate, ridge, rows[t], arms,
            outcome, everyone,
        )  # fmt: skip
        if bad >= 0:
            return bad
    return -1
