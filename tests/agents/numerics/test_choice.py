"""Choices against numpy's argmax, ties and roundings included."""

import numpy as np
import pytest

from agents.numerics.choice import most_optimistic
from agents.parts.decision_rules.thompson_sampling import largest

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("n_arms", [1, 2, 7, 33])
@pytest.mark.parametrize("armwise", [False, True])
def test_the_largest_bound_is_played(n_arms, armwise):
    mean, variance = RNG.standard_normal((5, n_arms)), RNG.random((5, n_arms))
    radius = 3 * RNG.random((5, n_arms) if armwise else 5)
    score = mean + (radius if armwise else radius[:, None]) * np.sqrt(variance)
    arms = most_optimistic(mean, variance, radius)
    assert arms.dtype == np.int64
    np.testing.assert_array_equal(arms, score.argmax(axis=1))


def test_ties_go_to_the_lowest_index():
    mean, variance = np.array([[0.0, 1.0, 0.5, 1.0]]), np.array([[0.0, 0.0, 0.25, 0.0]])
    assert most_optimistic(mean, variance, np.ones(1)) == [1]
    assert most_optimistic(mean, variance, np.ones((1, 4))) == [1]
    np.testing.assert_array_equal(largest(np.array([[2.0, 2.0], [-1.0, -1.0]])), [0, 0])
    np.testing.assert_array_equal(
        largest(np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 5.0]])), [1, 0, 1]
    )


@pytest.mark.parametrize("radius", [np.full(1, 9.0), np.full((1, 3), 9.0)])
def test_a_variance_below_zero_by_rounding_counts_as_none(radius):
    mean, variance = np.array([[0.0, 0.1, 0.0]]), np.array([[-1e-17, -1e-17, 0.0]])
    assert most_optimistic(mean, variance, radius) == [1]


@pytest.mark.parametrize("score", [np.nan, -np.inf])
def test_an_arm_of_the_mask_is_played_whatever_the_scores(score):
    mask = np.array([[False, False, True, True], [True, False, True, False]])
    scores = np.array([[1.0, 1.0, score, score], [score, 1.0, score, 1.0]])
    assert largest(scores, mask).tolist() == [2, 0]
    for radius in (np.zeros(2), np.zeros((2, 4))):
        arms = most_optimistic(scores, np.zeros((2, 4)), radius, mask)
        assert arms.tolist() == [2, 0]


def test_the_largest_score_is_played():
    score = RNG.standard_normal((6, 19))
    np.testing.assert_array_equal(largest(score), score.argmax(axis=1))
