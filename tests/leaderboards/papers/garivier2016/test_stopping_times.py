"""The rules on stopping times, the characteristic time, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.garivier2016 import stopping_times as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_the_slope_has_two_sides(judged):
    beside = {"TTUCB, four arms": 2.0}
    for value, verdict in ((1.0, HOLDS), (1.3, FAILS), (0.7, FAILS), (1.25, Verdict.INCONCLUSIVE)):
        numbers = {"Track-and-Stop, four arms": value} | beside
        assert judged("optimal-slope", numbers) == {"Track-and-Stop, four arms": verdict}


def test_the_lower_bound_holds_for_every_agent(judged):
    assert judged("lower-bound", {"LUCB, x": 1.1, "TTUCB, x": 0.9}) == {
        "LUCB, x": HOLDS,
        "TTUCB, x": FAILS,
    }


def test_errors(judged):
    for value, verdict in ((0.05, HOLDS), (0.15, FAILS)):
        found = judged("errors", {"Track-and-Stop, x": value, "LUCB, x": 0.5})
        assert found == {"Track-and-Stop, x": verdict}


@pytest.mark.parametrize("means", [*paper.PROBLEMS.values(), (0.9, 0.2)])
def test_the_characteristic_time(means):
    """The shares attain T*, and no shares near them do better."""
    time, shares = paper.characteristic_time(means)
    best, others = means[0], np.array(means[1:])

    def information(w):
        middle = (w[0] * best + w[1:] * others) / (w[0] + w[1:])
        own = w[0] * paper.divergence(best, middle)
        return (own + w[1:] * paper.divergence(others, middle)).min()

    assert shares.sum() == pytest.approx(1.0)
    assert information(shares) == pytest.approx(1 / time)
    rng = np.random.default_rng(0)
    for scale in (0.001, 0.01, 0.1, 1.0) * 50:
        other = shares * np.exp(scale * rng.standard_normal(len(means)))
        assert information(other / other.sum()) < 1 / time


def test_numbers_by_hand():
    inverse = np.array([10, 1000])
    measures = {}
    for problem, means in paper.PROBLEMS.items():
        time, _ = paper.characteristic_time(means)
        rounds = time * np.array([[3.0, 3.0], [3.0, 5.0]])
        for agent in paper.AGENTS:
            measures[f"{agent}, {problem}"] = rounds[:, :1] if agent == "LUCB" else rounds
            measures[f"errors of {agent}, {problem}"] = np.array([[1.0, 0.0], [0.0, 0.0]])
    sample = Sample(inverse, measures)
    slopes, ratios, errors = paper.slopes(sample), paper.over_lower_bound(sample), paper.errors
    assert slopes["Track-and-Stop, four arms"].value == pytest.approx(1 / np.log(100))
    assert ratios["LUCB, five arms, 0.1"].value == pytest.approx(3 / (0.8 * np.log(9)))
    assert ratios["TTUCB, four arms, 0.001"].value == pytest.approx(4 / (0.998 * np.log(999)))
    assert "LUCB, four arms, 0.001" not in ratios
    assert errors(sample)["LUCB, four arms"].value == 0.5


@pytest.mark.nightly
def test_a_tiny_run(tiny):
    sample = tiny("stopping-times", {"deltas": [0.1, 0.05]})
    assert list(sample.rounds) == [10, 20]
    for problem in paper.PROBLEMS:
        assert sample.measures[f"LUCB, {problem}"].shape == (3, 1)
        rounds = sample.measures[f"Track-and-Stop, {problem}"]
        assert (rounds[:, 1] >= rounds[:, 0]).all()  # both runs are one until the first stops
        assert rounds.max() < paper.HORIZON
