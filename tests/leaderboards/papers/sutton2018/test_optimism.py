"""The rules on optimistic agents, the constant of UCB, and tiny runs."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.sutton2018 import optimism as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


@pytest.mark.parametrize("claim", ["optimistic-spike", "ucb-spike"])
def test_a_spike_rises_and_falls(judged, claim):
    assert set(judged(claim, {"one": 0.1, "two": 0.2}).values()) == {HOLDS}
    assert judged(claim, {"one": 0.1, "two": -0.2}) == {"one": HOLDS, "two": FAILS}


@pytest.mark.parametrize(
    ("claim", "early", "late"),
    [
        ("optimism", "initially", "eventually"),
        ("ucb", "first 10 steps", "steps 11 .. 1000"),
    ],
)
def test_worse_and_then_better(judged, claim, early, late):
    assert set(judged(claim, {early: -0.1, late: 0.1}).values()) == {HOLDS}
    assert set(judged(claim, {early: 0.1, late: -0.1}).values()) == {FAILS}


def test_the_books_constant():
    """The agent plays the arm of the largest mean + c sqrt(log t / N)."""
    agent = paper.with_bonus(2.0)
    # 30 plays of an arm of mean 1, and 10 of one of mean x: equal at x = 1 + bonus - bonus.
    bonus = [2.0 * math.sqrt(math.log(40) / pulls) for pulls in (30, 10)]
    assert agent.noise_std is not None
    ours = [agent.noise_std * math.sqrt(2.0 * math.log(40) / pulls) for pulls in (30, 10)]
    assert ours == pytest.approx(bonus)


def test_the_spikes_numbers():
    rounds = np.array([9, 10, 11, 12])
    two, one = np.array([[9.0, 9.1, 10.1, 10.2]] * 3), np.array([[9.0, 9.1, 10.0, 10.8]] * 3)
    runs = {f"{paper.UCB}, reward": two, f"{paper.LESS}, reward": one}
    found = paper.spike(Sample(rounds, runs))
    expected = {"rise": 0.9, "fall": 0.9, "fall minus that of c = 1": 0.8}
    assert {name: float(number.value) for name, number in found.items()} == pytest.approx(expected)


def test_tiny_runs(tiny):
    for name in ("figure-2-3", "figure-2-4"):
        assert tiny(name, {}).rounds[-1] == 1000
