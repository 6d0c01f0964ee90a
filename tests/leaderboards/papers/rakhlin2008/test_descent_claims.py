"""Verdict rules of the claims on descent, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.rakhlin2008 import PAPER
from leaderboards.papers.rakhlin2008 import descent_claims as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in PAPER.claims}


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_bounds():
    def of(curvature, adaptive):
        numbers = {"CurvatureDescent: seeds above": curvature}
        return judged("descent-bounds", numbers | {"AdaptiveDescent: seeds above": adaptive})

    assert of(0, 0) is Verdict.REPRODUCED
    assert of(0, 0.02) is Verdict.PARTLY
    assert of(1, 0.02) is Verdict.NOT_REPRODUCED


def test_logarithm():
    def of(curved, alternating):
        numbers = {"growth, curved": curved, "growth, alternating": alternating}
        return judged("logarithm", numbers | {"exponent, curved": 9, "exponent, alternating": 9})

    assert of(1.0, 1.7) is Verdict.REPRODUCED
    assert of(3.2, 1.7) is Verdict.PARTLY
    assert of(3.2, 1.7784) is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize("claim", ["late-linear", "random-linear"])
def test_linear(claim):
    assert judged(claim, {"exponent": 1.0}) is Verdict.REPRODUCED
    assert judged(claim, {"exponent": 0.5}) is Verdict.NOT_REPRODUCED
    assert judged(claim, {"exponent": 1.0995}) is Verdict.NOT_REPRODUCED


def test_interpolation():
    limits = {
        "curved": 0.25, "alternating": 0.25, "decaying, a = 0.25": 0.35, "decaying, a = 0.5": 0.6,
        "decaying, a = 0.75": 0.6, "sign": 0.6, "random": 0.6, "switch": 0.6,
    }  # fmt: skip
    inside = {name: limit - 0.01 for name, limit in limits.items()}
    outside = {name: limit + 0.01 for name, limit in limits.items()}
    assert judged("interpolation", inside) is Verdict.REPRODUCED
    assert judged("interpolation", outside) is Verdict.NOT_REPRODUCED
    for name in limits:
        assert judged("interpolation", inside | {name: outside[name]}) is Verdict.PARTLY
        assert judged("interpolation", outside | {name: inside[name]}) is Verdict.PARTLY


@pytest.fixture(scope="module")
def sample():
    return paper.descent([3, 4, 7], horizon=100)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.descent([4], horizon=100)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    own = [c for c in PAPER.claims if c.experiment and c.experiment.name == "descent"]
    assert len(own) == 5
    for claim in own:
        assert Finding.of(claim, sample).numbers
    assert Finding.of(CLAIMS["descent-bounds"], sample).verdict is Verdict.REPRODUCED
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_the_bounds_are_those_of_the_run(sample):
    # Against the adversary of signs 1/H never moves and has no bound; the adaptive one has.
    assert np.isinf(sample.measures["bound, CurvatureDescent, sign"]).all()
    regret = sample.measures["AdaptiveDescent, sign"]
    assert (sample.measures["bound, AdaptiveDescent, sign"] < 10 * regret.max()).all()
    # The first curved loss costs G²/2 with G its centre's distance: the bound is met exactly.
    first = sample.measures["bound, CurvatureDescent, curved"][:, 0]
    np.testing.assert_allclose(sample.measures["CurvatureDescent, curved"][:, 0], first)


def test_a_bound_that_is_broken_is_seen(sample):
    broken = dict(sample.measures)
    broken["AdaptiveDescent, random"] = broken["AdaptiveDescent, random"].copy()
    broken["AdaptiveDescent, random"][1, 5] = 1e3
    numbers = paper.bound_numbers(sample._replace(measures=broken))
    assert float(numbers["AdaptiveDescent: seeds above"].value) == pytest.approx(1 / 3)
    assert CLAIMS["descent-bounds"].judge(numbers) is Verdict.PARTLY
