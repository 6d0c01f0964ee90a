"""Verdict rules of the claims on Figure 1, and what is read off its curves."""

import numpy as np
import pytest

from leaderboards import papers
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.kakade2008 import PAPER
from leaderboards.papers.kakade2008 import figure_1_claims as paper
from leaderboards.papers.kakade2008.figure_1 import ENVIRONMENTS, GAMMAS, figure_1
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in PAPER.claims}
FIGURE = [c for c in PAPER.claims if c.experiment and c.experiment.name == "figure-1"]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_the_paper_is_found_by_name():
    assert papers.load("kakade2008") is PAPER
    assert len(FIGURE) == 8
    assert CLAIMS["reuters4"].experiment is None


@pytest.mark.parametrize(
    ("slope", "found"), [(-0.95, YES), (-0.9005, NO), (-0.8, NO), (-1.0995, NO)]
)
def test_synsep_perceptron(slope, found):
    assert judged("synsep-perceptron", {"slope": slope}) is found


@pytest.mark.parametrize(
    ("whole", "late", "found"),
    [(-0.5, -0.6, YES), (-0.5, -0.6495, PARTLY), (-0.4, -0.6, PARTLY), (-0.4, -0.8, NO)],
)
def test_synsep_banditron(whole, late, found):
    names = [f"slope, best γ, {part}" for part in ("T/1000 .. T", "T/10 .. T")]
    assert judged("synsep-banditron", dict(zip(names, (whole, late), strict=True))) is found


@pytest.mark.parametrize("claim", ["synsep-gamma", "synnonsep-gamma"])
@pytest.mark.parametrize(
    ("low", "high", "found"), [(1.2, 3, YES), (1.1005, 3, PARTLY), (2, 1, PARTLY), (1, 1, NO)]
)
def test_gamma(claim, low, high, found):
    assert judged(claim, {"lowest / best": low, "highest / best": high}) is found


@pytest.mark.parametrize(
    ("error", "slope", "found"),
    [(0.1, 0, YES), (0.1, -0.1, PARTLY), (0.1095, 0, PARTLY), (0.08, 0.06, NO)],
)
def test_synnonsep_perceptron(error, slope, found):
    numbers = {"error at T": error, "slope, T/10 .. T": slope}
    assert judged("synnonsep-perceptron", numbers) is found


@pytest.mark.parametrize(
    ("best", "named", "found"), [(0.13, 0.13, YES), (0.117, 0.13, PARTLY), (0.3, 0.1395, NO)]
)
def test_synnonsep_banditron(best, named, found):
    numbers = {"error at T, best γ": best, "error at T, γ = 2^-5": named}
    assert judged("synnonsep-banditron", numbers) is found


@pytest.mark.parametrize(
    ("ratio", "slope", "found"), [(0.8, -0.4, YES), (0.3, -0.4, PARTLY), (0.5005, -0.2, NO)]
)
def test_synnonsep_shape(ratio, slope, found):
    numbers = {"error, 10^4 / 10^2": ratio, "slope, 10^4 .. T": slope}
    assert judged("synnonsep-shape", numbers) is found


def test_floor():
    assert judged("floor", {"a": 1.0, "b": 1.2}) is YES
    assert judged("floor", {"a": 0.9995, "b": 1.2}) is YES
    assert judged("floor", {"a": 0.9, "b": 1.2}) is NO


def made_up(rate):
    """A sample whose error rates are ``rate(env, gamma, rounds)`` times 0.9, 1, 1.1, by seed."""
    rounds = np.array([100, 300, 1000, 3000, 10_000, 30_000, 100_000])
    seeds = np.array([0.9, 1.0, 1.1])[:, None]
    gammas = {"Perceptron": 0.0, **GAMMAS}
    return Sample(
        rounds,
        {
            f"{env}, {name}": seeds * rate(env, gamma, rounds) * rounds
            for env in ENVIRONMENTS
            for name, gamma in gammas.items()
        },
    )


def test_numbers_of_known_curves():
    def rate(env, gamma, rounds):
        decay = (rounds / 1e5) ** (-0.3 if env == "SynNonSep" else -0.55)
        return (0.05 + 10 * abs(gamma - 2**-4)) * decay

    sample = made_up(rate)
    numbers = paper.banditron_slope(sample)
    assert float(numbers["best γ"].value) == 2**-4
    for name in ("slope, best γ, T/1000 .. T", "slope of means, γ = 2^-6, T/10 .. T"):
        assert float(numbers[name].value) == pytest.approx(-0.55)
    assert float(paper.perceptron_slope(sample)["slope"].value) == pytest.approx(-0.55)
    for claim in ("synsep-gamma", "synnonsep-gamma"):
        found = CLAIMS[claim].numbers(sample)
        assert float(found["error, best γ"].value) == pytest.approx(0.05)
        at = {"γ = 2^-8 / best": 2**-8, "lowest / best": 2**-14, "highest / best": 0.5}
        for name, gamma in at.items():
            expected = (0.05 + 10 * abs(gamma - 2**-4)) / 0.05
            assert float(found[name].value) == pytest.approx(expected)
    found = paper.banditron_error(sample)
    assert float(found["error at T, best γ"].value) == pytest.approx(0.05)
    assert float(found["error at T, γ = 2^-5"].value) == pytest.approx(0.05 + 10 / 32)
    assert float(found["error at T, γ = 2^-6"].value) == pytest.approx(0.05 + 30 / 64)
    found = paper.banditron_shape(sample)
    assert float(found["error, 10^4 / 10^2"].value) == pytest.approx(100**-0.3)
    assert float(found["slope, 10^4 .. T"].value) == pytest.approx(-0.3)
    found = paper.perceptron_plateau(sample)
    assert float(found["error at T"].value) == pytest.approx(0.05 + 10 / 16)
    assert float(found["slope, T/10 .. T"].value) == pytest.approx(-0.3)


def test_the_floor_is_that_of_the_gamma():
    def at_the_floor(env, gamma, rounds):
        low = env == "SynNonSep" and gamma == 2**-3
        return np.full(len(rounds), gamma * 8 / 9 * (0.5 if low else 1.2))

    numbers = paper.floor_numbers(made_up(at_the_floor))
    assert len(numbers) == 6
    assert float(numbers["SynNonSep, γ = 2^-3"].value) == pytest.approx(0.5)
    assert sum(float(x.value) == pytest.approx(1.2) for x in numbers.values()) == 5
    assert CLAIMS["floor"].judge(numbers) is NO


def test_a_tiny_run():
    sample = figure_1([3, 4, 7], horizon=1000)
    for claim in FIGURE:
        finding = Finding.of(claim, sample)
        assert finding.numbers
        assert finding.seeds == 3
    assert Finding.of(CLAIMS["floor"], sample).verdict is YES
