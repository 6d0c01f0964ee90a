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
def learn_by_svrg(
    chunks, table, count, longest, keys, theta, anchor, total, anchored, rate, ridge, features,
    arms, outcomes, observed,
):  # fmt: skip
    r"""Keep samples and make a step each, where ``observed`` (n,).

    ``anchor`` is w, ``total`` is S, both (n, d), ``anchored`` (n,) the n of the last anchor. The
    step is ``rate`` / L, L the square of the ``longest`` row, and never above
    :math:`1/\lambda_n`.

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
        most = max(most, count[i])
    return -1, most


@inlined
def _add_term(sample, table, anchor, total, i):
    residual = along(sample, table, i, anchor[i]) - sample[outcome_at(table, anchor.shape[1])]
    add_row(residual, sample, table, i, 1.0, total[i])


@compiled
def play_by_svrg(
    chunks, table, count, longest, keys, theta, anchor, total, anchored, rate, ridge, bound, rows,
    outcomes, predictions,
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
        bad, _ = learn_by_svrg(
            chunks, table, count, longest, keys, theta, anchor, total, anchored, rate, ridge,
            rows[t], arms, outcome, everyone,
        )  # fmt: skip
        if bad >= 0:
            return bad
    return -1
