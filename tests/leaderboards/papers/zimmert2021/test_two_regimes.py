"""The rules on Tsallis-INF's regret, the bounds, and a tiny run."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.verdicts import Verdict
from leaderboards.papers.zimmert2021 import two_regimes as paper

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_almost_linear(judged):
    found = judged("almost-linear", {"one": 0.9, "two": 0.8, "three": 0.5})
    assert found == {"one": HOLDS, "two": OPEN, "three": FAILS}


@pytest.mark.parametrize(
    ("claim", "limit"),
    [
        ("beats-exp3", 1.0),
        ("stochastic", 1.0),
        ("stochastic-growth", 0.3),
        ("adversarial-growth", 0.3),
    ],
)
def test_below_a_limit(judged, claim, limit):
    for value, verdict in ((limit - 0.1, HOLDS), (limit, OPEN), (limit + 0.1, FAILS)):
        assert judged(claim, {"one": value}) == {"one": verdict}


@pytest.mark.parametrize("claim", ["adversarial-bound", "constrained-bound"])
def test_a_bound_may_be_vacuous(judged, claim):
    run = f"{paper.RV}, constrained"
    for share, worst, verdict in (
        (0.5, 0.2, HOLDS),
        (1.5, 0.2, FAILS),
        (0.5, 1.2, Verdict.VACUOUS),
    ):
        assert judged(claim, {run: share, f"bound / worst, {run}": worst}) == {run: verdict}


def test_bounds_by_hand():
    assert paper.adversarial_bound(paper.IW, 10_000) == pytest.approx(4 * 282.842712 + 1)
    expected = 2 * 282.842712 + 112 * math.log(10_000) + 16
    assert paper.adversarial_bound(paper.RV, 10_000) == pytest.approx(expected)
    log = math.log(10_000)
    expected = 112 * (log + 3) + 32 + 224 * log + 1.5 * math.sqrt(8) + 32
    assert paper.constrained_bound(10_000) == pytest.approx(expected)


def test_shares_of_a_bound():
    runs = {f"{paper.RV}, {regime}": np.full((3, 1), 100.0) for regime in paper.PLAYED}
    found = paper.shares(Sample(np.array([10_000]), runs), paper.against_constrained)
    run = f"{paper.RV}, constrained"
    assert found[run].value == pytest.approx(100 / paper.constrained_bound(10_000))
    assert found[f"bound / worst, {run}"].value == pytest.approx(
        paper.constrained_bound(10_000) / 625
    )


def test_a_tiny_run(tiny):
    sample = tiny("regimes", {"horizon": 2000})
    assert len(sample.measures) == 10
    assert sample.rounds[-1] == 2000
