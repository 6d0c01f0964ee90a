"""Verdict rules of the claims on the left of Figure 1, and what is read off its curves."""

import numpy as np
import pytest

from leaderboards import papers
from leaderboards.papers.claim import Finding
from leaderboards.papers.kakade2008 import PAPER
from leaderboards.papers.kakade2008 import synsep_claims as paper
from leaderboards.papers.kakade2008.error_rates import figure_1
from leaderboards.papers.verdicts import Verdict

FIGURE = [c for c in PAPER.claims if c.experiment and c.experiment.name == "figure-1"]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
OPEN, UNCLEAR = Verdict.OPEN, Verdict.INCONCLUSIVE


def test_the_paper_is_found_by_name():
    assert papers.load("kakade2008") is PAPER
    assert len(FIGURE) == 7


@pytest.mark.parametrize(
    ("whole", "late", "found"),
    [(-0.95, -1, YES), (-0.9005, -1, PARTLY), (-0.8, -1.2, NO), (-1.0995, -1.0995, UNCLEAR)],
)
def test_synsep_perceptron(whole, late, found, judged):
    numbers = {"slope, T/1000 .. T": whole, "slope, T/10 .. T": late}
    assert judged("synsep-perceptron", numbers) is found


def test_synsep_banditron_holds_for_all_fits_and_grids_or_in_parts(parts_of, judged):
    names = [f"slope, {grid}, {fitted}" for grid in paper.GRIDS for fitted in paper.RANGES]
    assert len(names) == 6
    held = dict.fromkeys(names, -0.55)
    assert judged("synsep-banditron", held) is YES
    parts = parts_of("synsep-banditron", held | {names[3]: -0.8, names[4]: -0.6495})
    assert [parts[name] for name in names] == [YES, YES, YES, NO, UNCLEAR, YES]
    assert judged("synsep-banditron", dict.fromkeys(names, -0.2)) is NO


@pytest.mark.parametrize("claim", ["synsep-gamma", "synnonsep-gamma"])
@pytest.mark.parametrize(
    ("low", "high", "found"), [(1.2, 3, YES), (1.1005, 3, PARTLY), (2, 1, PARTLY), (1, 1, NO)]
)
def test_gamma(claim, low, high, found, judged):
    assert judged(claim, {"lowest / best": low, "highest / best": high}) is found


def rate(env, gamma, rounds):
    return (0.05 + 10 * abs(gamma - 2**-8)) * (rounds / 1e5) ** -0.55


def test_numbers_of_known_curves(claims, figure_1_sample):
    sample = figure_1_sample(rate)
    found = paper.perceptron_slope(sample)
    for fitted in paper.RANGES:
        assert float(found[f"slope, {fitted}"].value) == pytest.approx(-0.55)
    assert float(found["mistakes at T"].value) == pytest.approx(1e5 * (0.05 + 10 / 256))
    numbers = paper.banditron_slope(sample)
    for grid, best in zip(paper.GRIDS, (2**-6, 2**-8, 2**-8), strict=True):
        assert float(numbers[f"best γ, {grid}"].value) == best
        for fitted in paper.RANGES:
            assert float(numbers[f"slope, {grid}, {fitted}"].value) == pytest.approx(-0.55)
    for claim in ("synsep-gamma", "synnonsep-gamma"):
        found = claims[claim].numbers(sample)
        assert float(found["error, best γ"].value) == pytest.approx(0.05)
        for name, gamma in {"lowest / best": 2**-14, "highest / best": 0.5}.items():
            expected = (0.05 + 10 * abs(gamma - 2**-8)) / 0.05
            assert float(found[name].value) == pytest.approx(expected)


def test_slopes_are_those_of_their_rounds(figure_1_sample):
    def bent(env, gamma, rounds):  # the last decade is steeper
        steeper = np.where(rounds > 1e4, -1.0, -0.5)
        return (0.05 + abs(gamma - 2**-8)) * (rounds / 1e4) ** steeper

    numbers = paper.banditron_slope(figure_1_sample(bent))
    assert float(numbers["slope, grid from 2^-14, T/10 .. T"].value) == pytest.approx(-1)
    assert -0.9 < float(numbers["slope, grid from 2^-14, T/1000 .. T"].value) < -0.55


def test_a_tiny_run():
    sample = figure_1([3, 4, 7], horizon=1000)
    for claim in FIGURE:
        finding = Finding.of(claim, sample, reaches_paper=False)
        assert set(finding.parts) <= set(finding.numbers)
        assert set(claim.headline) <= set(finding.numbers)
        assert len(claim.headline) <= 3
        assert finding.seeds == 3
        assert NO not in finding.parts.values()
