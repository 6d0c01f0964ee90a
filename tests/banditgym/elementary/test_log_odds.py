"""The logistic function and the log loss against numbers of many digits."""

import mpmath
import numpy as np

from banditgym.compiled import compiled
from banditgym.elementary.log_odds import log_loss, logistic


@compiled
def _fill(x, outcome, mean, loss):
    for i in range(len(x)):
        mean[i], loss[i] = logistic(x[i]), log_loss(x[i], outcome[i])


def both(x, outcome):
    mean, loss = np.empty((2, len(x)))
    _fill(x, outcome, mean, loss)
    return mean, loss


def test_values_are_those_of_many_digits(spread):
    x = np.concatenate([spread(-1, 1), spread(-40, 40), spread(-700, 700)])
    outcome = np.arange(len(x)) % 2.0
    with mpmath.workprec(2200):
        exact = [1 / (1 + mpmath.exp(-mpmath.mpf(float(z)))) for z in x]
        losses = [-mpmath.log(p if y else 1 - p) for p, y in zip(exact, outcome, strict=True)]
    mean, loss = both(x, outcome)
    np.testing.assert_allclose(mean, np.array(exact, float), rtol=1e-15, atol=0)
    # Of a large score, the loss of the likely outcome is a small difference.
    slack = 1e-15 * (1 + np.abs(x))
    assert (np.abs(loss - np.array(losses, float)) <= slack).all()


def test_values_at_infinity_and_beyond():
    x = np.array([0.0, 800.0, -800.0, np.inf, -np.inf, np.nan])
    mean, _ = both(x, np.zeros(6))
    np.testing.assert_array_equal(mean, [0.5, 1.0, 0.0, 1.0, 0.0, np.nan])
    np.testing.assert_array_equal(both(x[:3], np.ones(3))[1], [np.log(2.0), 0.0, 800.0])
