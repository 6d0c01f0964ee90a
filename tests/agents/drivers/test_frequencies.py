"""Frequencies of arms, by draws that no act makes."""

from types import SimpleNamespace

import numpy as np

from agents.drivers.frequencies import draw_apart, frequencies
from banditgym.streams import AGENT, Stream


class Turns:
    """Replicate 0 plays three arms in turn by the number of its decision; replicate 1 the last."""

    n, seeds, task = 2, (3, 5), SimpleNamespace(n_arms=3)

    def __init__(self):
        self.decisions = np.array([7, 2])

    def _choose(self, contexts):
        assert contexts == "shown"
        return np.array([self.decisions[0] % 3, 2])


def test_they_are_of_10_000_choices_in_a_row():
    agent = Turns()
    np.testing.assert_array_equal(
        frequencies(agent, "shown"), [[0.3333, 0.3334, 0.3333], [0.0, 0.0, 1.0]]
    )
    np.testing.assert_array_equal(agent.decisions, [10_007, 10_002])


def test_every_act_has_draws_of_its_own():
    """Published logs have these numbers: the stream and the rounds stay."""
    agent = Turns()
    np.testing.assert_array_equal(draw_apart(agent), Stream([3, 5], AGENT, 10, 0).keys)
    np.testing.assert_array_equal(agent.decisions, [70_000, 20_000])
