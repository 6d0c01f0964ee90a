"""The rules on greedy and epsilon-greedy agents, their numbers on made-up runs, and tiny runs."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.sutton2018 import exploration as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
SIGNS = {0.1: HOLDS, -0.1: FAILS, 0.0: OPEN}


def sums(name, per_step, rounds):
    """Sums of a measure that is the same in all steps, for three runs."""
    return {name: np.outer(np.ones(3), rounds) * np.asarray(per_step)[..., None]}


@pytest.mark.parametrize("claim", ["greedy-first", "explorers-win"])
def test_gains_are_positive(judged, claim):
    for value, verdict in SIGNS.items():
        assert set(judged(claim, {"one": value, "two": value}).values()) == {verdict}
    equal = judged(claim, {"one": 0.0}, half=0.0)
    assert equal == {"one": FAILS}  # of agents that play the same


def test_level(judged):
    both = {"greedy": 1.02, "best possible": 1.54}
    assert set(judged("greedy-level", both).values()) == {HOLDS}
    assert judged("greedy-level", both | {"greedy": 1.2})["greedy"] is FAILS
    assert judged("greedy-level", both | {"best possible": 1.4})["best possible"] is FAILS


def test_a_third_is_found(judged):
    for value, verdict in ((0.33, HOLDS), (0.27, FAILS), (0.4, FAILS), (0.383, OPEN)):
        assert judged("greedy-found", {"share of tasks": value}) == {"share of tasks": verdict}


def test_much_exploration_is_early(judged):
    numbers = {"0.1 - 0.01": 0.1, "0.1, late": 0.8}
    assert set(judged("much-is-early", numbers).values()) == {HOLDS}
    assert judged("much-is-early", numbers | {"0.1, late": 0.95})["0.1, late"] is FAILS
    assert judged("much-is-early", numbers | {"0.1 - 0.01": -0.1})["0.1 - 0.01"] is FAILS


def test_little_exploration_is_late(judged):
    names = ["reward, figure's steps", "reward, later half", "optimal, later half"]
    pair = "0.01 - 0.1"
    numbers = dict(zip((f"{name}, {pair}" for name in names), (-0.1, 0.1, 0.1), strict=True))
    assert set(judged("little-is-late", numbers).values()) == {HOLDS}
    reverse = {name: -value for name, value in numbers.items()}
    assert set(judged("little-is-late", reverse).values()) == {FAILS}


def test_numbers_of_made_up_runs():
    rounds = np.array([10, 500, 1000])
    sample = Sample(
        rounds,
        {
            **sums("greedy, reward", [1.0, 1.1, 0.9], rounds),
            **sums("greedy, regret", [0.5, 0.3, 0.7], rounds),
            **sums("greedy, optimal", [0.0, 0.6, 1.0], rounds),
        },
    )
    assert paper.levels(sample)["greedy"].value == pytest.approx(1.0)
    assert paper.levels(sample)["best possible"].value == pytest.approx(1.5)
    assert paper.found(sample)["share of tasks"].value == pytest.approx(2 / 3)


def test_overtaking_is_of_the_later_half():
    rounds = np.array([1000, 2000, 4000])
    slow, fast = np.array([[100.0, 1100.0, 3100.0]] * 3), np.array([[500.0, 900.0, 1900.0]] * 3)
    runs = {"0.01, reward": slow, "0.1, reward": fast, "0.01, optimal": slow, "0.1, optimal": fast}
    found = paper.overtaking(Sample(rounds, runs))
    assert found["reward, figure's steps, 0.01 - 0.1"].value == pytest.approx(-0.4)
    assert found["reward, later half, 0.01 - 0.1"].value == pytest.approx(0.5)


def test_a_tiny_run(tiny):
    assert tiny("figure-2-2", {}).rounds[-1] == 1000


def test_a_tiny_run_of_more_steps(tiny):
    assert tiny("longer", {"steps": 1200}).rounds[-1] == 1200
