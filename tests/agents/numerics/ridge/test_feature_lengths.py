"""Lengths of features, of all arms and of those played."""

import numpy as np

from agents.numerics.ridge.feature_lengths import keep_longest, norms


def test_lengths_are_those_of_the_columns():
    contexts = np.random.default_rng(3).normal(size=(3, 4, 5))
    np.testing.assert_allclose(norms(contexts), np.linalg.norm(contexts, axis=1), rtol=1e-14)


def test_the_longest_grows_where_a_reward_was_observed():
    contexts = np.zeros((3, 2, 2))
    contexts[:, :, 1] = 3.0, 4.0
    longest, arms = np.array([1.0, 1.0, 7.0]), np.ones(3, np.int64)
    keep_longest(longest, contexts, arms, np.array([True, False, True]))
    np.testing.assert_array_equal(longest, [5.0, 1.0, 7.0])
