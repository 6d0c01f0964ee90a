"""The frequencies of arms are counted in draws of their own, which no act uses."""

from types import SimpleNamespace

import numpy as np

from agents.drivers.frequencies import draw_apart, frequencies
from banditgym.streams import AGENT, Stream


class Turns:
    """Replicate 0 plays the three arms in turn, and replicate 1 always plays the last."""

    n, seeds, task = 2, (3, 5), SimpleNamespace(n_arms=3)

    def __init__(self):
        self.decisions = np.array([7, 2])

    def _choose(self, contexts):
        assert contexts == "shown"
        return np.array([self.decisions[0] % 3, 2])


def test_ten_thousand_choices_are_counted():
    agent = Turns()
    np.testing.assert_array_equal(
        frequencies(agent, "shown"), [[0.3333, 0.3334, 0.3333], [0.0, 0.0, 1.0]]
    )
    np.testing.assert_array_equal(agent.decisions, [10_007, 10_002])


def test_their_stream_and_rounds_are_fixed():
    """Propensities in published logs come from these draws."""
    agent = Turns()
    np.testing.assert_array_equal(draw_apart(agent), Stream([3, 5], AGENT, 10, 0).keys)
    np.testing.assert_array_equal(agent.decisions, [70_000, 20_000])
