"""Choices against numpy's argmax, ties and roundings included."""

import numpy as np
import pytest

from agents.numerics.choice import inverse_gap_weighted, largest, most_optimistic
from banditgym.streams import AGENT, Stream

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


@pytest.mark.parametrize("radius", [np.full(1, 9.0), np.full((1, 3), 9.0)])
def test_a_variance_below_zero_by_rounding_counts_as_none(radius):
    mean, variance = np.array([[0.1, 0.0, 0.0]]), np.array([[-1e-17, -1e-17, 0.0]])
    assert most_optimistic(mean, variance, radius) == [0]


def test_the_largest_score_is_played():
    score = RNG.standard_normal((6, 19))
    np.testing.assert_array_equal(largest(score), score.argmax(axis=1))


def test_arms_are_drawn_by_the_inverse_of_their_gap():
    """Against the probabilities, laid one after the other, and the best arm's last."""
    n, n_arms = 200, 5
    score, gamma = RNG.standard_normal((n, n_arms)), 20 * RNG.random(n)
    score[:50, 3] = score[:50].max(axis=1)  # ties
    decisions = RNG.integers(0, 99, n)
    stream = Stream(np.arange(n), AGENT, 0, 0)
    arms = inverse_gap_weighted(score, gamma, stream.keys, decisions)
    for i in range(n):
        best = score[i].argmax()
        p = 1 / (n_arms + gamma[i] * (score[i, best] - score[i]))
        others = np.delete(np.arange(n_arms), best)
        u = Stream([i], AGENT, 0, 0).uniform(int(decisions[i]), (1,))[0, 0]
        below = np.flatnonzero(u < np.cumsum(p[others]))
        assert arms[i] == (others[below[0]] if len(below) else best)
    assert len(set(arms)) == n_arms
