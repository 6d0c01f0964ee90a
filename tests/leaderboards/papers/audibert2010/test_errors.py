"""The rules on the errors of successive rejects, what is computed beside them, and tiny runs."""

import itertools
import math

import numpy as np
import pytest

from leaderboards.papers.audibert2010 import errors as paper
from leaderboards.papers.claim import Sample
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_better_than_uniform_on_each_problem(judged):
    names = [f"{agent}, {problem}" for problem in paper.PROBLEMS for agent in paper.AGENTS]
    own = [name for name in names if name.startswith("successive")]
    numbers = dict.fromkeys(names, 2.0) | dict.fromkeys(own, 0.8)
    assert judged("better-than-uniform", numbers) == dict.fromkeys(own, HOLDS)
    assert judged("better-than-uniform", numbers | {own[0]: 1.1})[own[0]] is FAILS


@pytest.mark.parametrize(
    ("claim", "limit"), [("exponential-decay", -1.0), ("theorem-bound", paper.BOUND)]
)
def test_below_the_theorems_rate_and_bound(judged, claim, limit):
    for shift, verdict in ((-0.01, HOLDS), (0.01, FAILS), (0.0, Verdict.INCONCLUSIVE)):
        assert judged(claim, {"x": limit + shift}) == {"x": verdict}


def test_the_unit_of_the_bound_by_hand():
    # Gaps 0.1 and 0.2: H2 = max(2 / 0.01, 3 / 0.04), log-bar(3) = 1/2 + 1/2 + 1/3.
    assert paper.unit([0.5, 0.3, 0.4]) == pytest.approx(200 * 4 / 3)


def test_the_error_of_uniform_allocation_by_enumeration():
    means, pulls = (0.6, 0.5, 0.3), 3
    expected = 0.0
    for wins in itertools.product(range(pulls + 1), repeat=3):
        chance = math.prod(
            math.comb(pulls, w) * p**w * (1 - p) ** (pulls - w)
            for w, p in zip(wins, means, strict=True)
        )
        ties = wins.count(max(wins))
        expected += chance * (1 - 1 / ties if wins[0] == max(wins) else 1)
    assert paper.uniform_error(means, 3 * pulls + 2) == pytest.approx(expected)


def test_slopes_by_hand():
    half = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]], float)  # 4.5, 2.5, 1.5 of 5
    sample = Sample(
        np.array(paper.PERCENT), {f"successive rejects, {name}": half for name in paper.PROBLEMS}
    )
    means, rounds = paper.PROBLEMS["experiment 4"]
    x = np.array([0.5, 1, 2]) * rounds / paper.unit(means)
    slope = np.polyfit(x, np.log([0.9, 0.5, 0.3]), 1)[0]
    assert paper.decay(sample)["experiment 4"].value == pytest.approx(slope)


def test_a_tiny_run(tiny):
    sample = tiny("problems", {})
    assert len(sample.measures) == 2 * len(paper.PROBLEMS)


def test_tiny_long_runs(tiny):
    assert set(tiny("long-runs", {}).measures) == set(paper.PROBLEMS)
