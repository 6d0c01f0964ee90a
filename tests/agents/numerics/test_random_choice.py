"""Draws of arms by the inverse of their gap to the best; for slots see another test."""

import numpy as np

from agents.numerics.random_choice import inverse_gap_weighted
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
