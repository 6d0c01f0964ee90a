"""Verdict rules of the claims of garivier2011, its predictions, and a tiny run."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Finding
from leaderboards.papers.garivier2011 import PAPER, scenarios
from leaderboards.papers.verdicts import Verdict

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in PAPER.claims}
HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


@pytest.mark.parametrize("claim", ["optimal", "ucb-constant"])
def test_leading_terms_have_two_sides(claim):
    for value, verdict in ((0.9, HOLDS), (1.2, FAILS), (0.6, Verdict.INCONCLUSIVE)):
        assert CLAIMS[claim].judge({"x": number(value)}) == {"x": verdict}


def test_better_on_every_part():
    names = [
        f"{name}, {when}" for name in scenarios.SCENARIOS for when in ("n = 1000", "all rounds")
    ]
    numbers = dict.fromkeys(names, number(0.5))
    judge = CLAIMS["better-than-ucb"].judge
    assert judge(numbers) == dict.fromkeys(names, HOLDS)
    assert judge(numbers | {names[0]: number(1.1)})[names[0]] is FAILS


def test_balance():
    for value, verdict in ((1.0, HOLDS), (1.3, FAILS), (0.7, FAILS)):
        assert CLAIMS["balance"].judge({"x": number(value)}) == {"x": verdict}


def test_leading_terms_by_hand():
    apart = 0.8 * math.log(0.8 / 0.9) + 0.2 * math.log(0.2 / 0.1)
    expected = (math.log(500) + 3 * math.log(math.log(500))) * 0.1 / apart
    assert scenarios.leading("two arms", 500, c=3.0) == pytest.approx(expected)
    pinsker = scenarios.leading("two arms", 500, distance=scenarios.parabola)
    assert pinsker == pytest.approx(math.log(500) / (2 * 0.1))


@pytest.mark.parametrize("distance", [scenarios.divergence, scenarios.parabola])
def test_indices_are_balanced(distance):
    worse = scenarios.balanced("two arms", 5000, distance=distance) / 0.1
    budget = math.log(5000)

    def index(mean, plays):
        grid = np.linspace(mean + 1e-6, 1 - 1e-6, 1_000_000)
        return grid[distance(np.array(mean), grid) <= budget / plays].max()

    assert index(0.9, 5000 - worse) == pytest.approx(index(0.8, worse), abs=1e-5)


def test_a_tiny_run(tmp_path):
    sample, alone = (scenarios.scenarios(seeds, horizon=1000) for seeds in ([3, 4, 7], [4]))
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in PAPER.claims:
        assert Finding.of(claim, sample, reaches_paper=False).numbers
    scenarios.draw(sample).savefig(tmp_path / "figure.png")
