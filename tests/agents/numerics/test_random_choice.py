"""Draws of arms by the inverse of their gap to the best; for slots see another test."""

import numpy as np

from agents.numerics.random_choice import (
    exploring,
    inverse_gap_weighted,
    inverse_gap_weights,
)
from banditgym.streams import AGENT, Stream

RNG = np.random.default_rng(2)


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


def test_probabilities_of_a_uniform_arm_or_a_given_one():
    mask = np.array([[1, 1, 0, 1], [1, 1, 1, 1]], bool)
    p = exploring(np.array([3, 0]), np.array([0.3, 1.0]), mask)
    np.testing.assert_allclose(p, [[0.1, 0.1, 0.0, 0.8], [0.25] * 4], rtol=1e-15)
    np.testing.assert_array_equal(exploring(np.array([3, 1]), 0.0, mask), np.eye(4)[[3, 1]])


def test_probabilities_by_the_inverse_of_the_gap():
    score, gamma = RNG.standard_normal((6, 4)), 20 * RNG.random(6)
    mask = np.array([[1, 1, 1, 1]] * 3 + [[0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 1, 0]], bool)
    p = inverse_gap_weights(score, gamma, mask)
    for i in range(6):
        there = np.flatnonzero(mask[i])
        best = there[score[i, there].argmax()]
        expected = np.zeros(4)
        expected[there] = 1 / (len(there) + gamma[i] * (score[i, best] - score[i, there]))
        expected[best] += 1 - expected.sum()
        np.testing.assert_allclose(p[i], expected, rtol=1e-13, atol=1e-15)
