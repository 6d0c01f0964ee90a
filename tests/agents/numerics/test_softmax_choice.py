"""Draws of arms by the exponentials of scores, against their probabilities."""

import numpy as np
import pytest

from agents.numerics.softmax_choice import softmax_arm, to_weights
from banditgym.compiled import compiled


@compiled
def _arm(score, u):
    return softmax_arm(score, u)


@compiled
def _weigh(score):
    to_weights(score)


@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_an_arm_is_drawn_where_the_sum_of_probabilities_passes_u(shift):
    score = np.array([0.3, -np.inf, -1.0, 2.0, 0.3])
    weights = np.exp(score)
    borders = np.cumsum(weights / weights.sum())
    for u in [0.0, *np.random.default_rng(1).random(200), 1.0 - 2**-53]:
        assert _arm(score + shift, u) == min(np.sum(borders <= u), 4)


def test_an_arm_that_is_not_there_is_never_drawn():
    """Not even the last one, where rounding leaves something of u."""
    score = np.array([-np.inf, 0.1, 0.2, 0.3, -np.inf])
    assert _arm(score.copy(), 0.0) == 1
    assert _arm(score.copy(), 1.0) == 3
    assert _arm(np.array([-np.inf, -5000.0, 0.0]), 1.0) == 2


def test_weights_are_over_the_largest_one():
    score = np.array([1000.0, 1001.0, -np.inf])
    _weigh(score)
    np.testing.assert_allclose(score, [np.exp(-1.0), 1.0, 0.0], rtol=1e-15)
