"""Pull counts and reward sums."""

import numpy as np

from agents.numerics.pull_counts import absorb, initial


def test_observed_rewards_are_added_to_the_arm_played():
    pulls, sums, rounds = initial(2, 3)
    for arms, rewards, observed in (
        ([2, 1], [0.5, 4.0], [True, False]),
        ([2, 0], [0.25, 8.0], [True, True]),
    ):
        absorb(pulls, sums, rounds, np.array(arms), np.array(rewards), np.array(observed))
    np.testing.assert_array_equal(pulls, [[0, 0, 2], [1, 0, 0]])
    np.testing.assert_array_equal(sums, [[0.0, 0.0, 0.75], [8.0, 0.0, 0.0]])
    np.testing.assert_array_equal(rounds, [2, 1])
