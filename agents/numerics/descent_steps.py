r"""Gradient steps on the mean square loss of a growing number of samples.

After sample n, an i is drawn uniformly on 1..n, and

.. math:: \theta_n = \theta_{n-1} - \gamma_n \bigl((x_i^\top\theta_{n-1} - y_i) x_i
    + \lambda_n \theta_{n-1}\bigr), \qquad \lambda_n = \lambda / n,

an unbiased step towards the ridge solution of all n samples. For samples see ``sample_chunks.py``;
they have no numbers beside the outcome.
"""

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
from banditgym.elementary import power


@compiled
def learn_by_descent(
    chunks, table, count, longest, keys, iterate, average, gain, exponent, ridge, features, arms,
    outcomes, observed,
):  # fmt: skip
    r"""Keep samples and make a step each, where ``observed`` (n,).

    The step is :math:`\gamma_n = c / (4 (c + n))` with ``gain`` c if ``exponent`` is 0, else
    :math:`c\, n^{-\text{exponent}}`; never above 1/L, L the square of the ``longest`` row, nor
    above :math:`1/\lambda_n`. ``average`` (n, d), where it is not (n, 0), becomes the mean of the
    iterates.

    Returns the first replicate whose row is not finite, or so long that its square is not, before
    anything is changed, or -1; and the largest count.
    """
    n, dim = iterate.shape
    squares = np.empty(n)
    bad = first_too_long(table, features, arms, observed, squares)
    if bad >= 0:
        return bad, 0
    most = 0
    for i in range(n):
        if observed[i]:
            sample = sample_at(chunks, i, count[i])
            keep(sample, table, count, longest, features, arms, outcomes, squares, i)
            drawn_one = sample_at(chunks, i, drawn(keys, count, i, 0))
            share = ridge / count[i]
            gamma = min(_step(gain, exponent, count[i]), 1.0 / longest[i], 1.0 / share)
            theta = iterate[i]
            residual = along(drawn_one, table, i, theta) - drawn_one[outcome_at(table, dim)]
            add_row(-gamma * residual, drawn_one, table, i, 1.0 - gamma * share, theta)
            for j in range(average.shape[1]):
                average[i, j] += (theta[j] - average[i, j]) / count[i]
        most = max(most, count[i])
    return -1, most


@inlined
def _step(gain, exponent, n):
    return gain / (4.0 * (gain + n)) if exponent == 0.0 else gain * power(n, -exponent)


@compiled
def play_by_descent(
    chunks, table, count, longest, keys, iterate, average, gain, exponent, ridge, bound, rows,
    outcomes, predictions,
):  # fmt: skip
    """Predict and learn the rows (m, n, d, 1), round by round; predictions (m, n) within ``bound``.

    Returns the first bad replicate, or -1.
    """
    rounds, n = outcomes.shape
    arms, everyone = np.zeros(n, np.int64), np.ones(n, np.bool_)
    mean, outcome = np.empty((n, 1)), np.empty(n)
    theta = average if average.shape[1] > 0 else iterate
    for t in range(rounds):
        bad = predict_within(theta, rows[t], bound, mean, predictions[t])
        if bad >= 0:
            return bad
        outcome[:] = outcomes[t]  # a copy: a read-only array would be another type
        bad, _ = learn_by_descent(
            chunks, table, count, longest, keys, iterate, average, gain, exponent, ridge, rows[t],
            arms, outcome, everyone,
        )  # fmt: skip
        if bad >= 0:
            return bad
    return -1
