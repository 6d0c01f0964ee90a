"""The bounds of a run, and verdict rules."""

import numpy as np
import pytest

from agents.parts import bounds
from leaderboards.papers.claim import Finding
from leaderboards.papers.kakade2008 import mistake_bounds as paper
from leaderboards.papers.verdicts import Verdict

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED
UNCLEAR, VACUOUS = Verdict.INCONCLUSIVE, Verdict.VACUOUS


def test_the_corollaries_gamma():
    # The medians over 100 seeds are uncertain to 5 % and 2 %.
    seeds = list(range(1000, 1100))
    weights, complexity = paper.separator(paper.keywords(seeds))
    assert np.median(complexity) == pytest.approx(paper.COMPLEXITY, rel=0.15)
    loss = paper.cumulative_loss("SynNonSep", seeds, weights, np.array([1000])) / 1000
    assert np.median(loss) == pytest.approx(paper.LOSS, rel=0.08)
    assert paper.exploration("SynSep", 180_000) == pytest.approx(0.1)
    assert paper.exploration("SynNonSep", 1_800_000) == pytest.approx(0.13 * 0.1)


@pytest.mark.parametrize(("horizon", "gamma"), [(100_000, 1 / 4), (1_000_000, 1 / 16)])
def test_the_gamma_of_the_least_bound(horizon, gamma):
    def bound(gamma):
        loss, d = paper.LOSS * horizon, paper.COMPLEXITY
        worst = max(9 * d / gamma, (d * gamma * horizon) ** 0.5)
        return loss + gamma * horizon + 3 * worst + (9 * d * loss / gamma) ** 0.5

    assert paper.exploration(paper.TIGHT, horizon) == gamma
    assert bound(gamma) < min(horizon, bound(gamma / 2), bound(2 * gamma))


@pytest.fixture(scope="module")
def sample():
    return paper.theorem_1(SEEDS, horizons=(2100, 4000))


def test_a_tiny_run(sample, tmp_path):
    alone = paper.theorem_1([4], horizons=(2100, 4000))
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-12)
    for claim in paper.CLAIMS:
        finding = Finding.of(claim, sample, reaches_paper=False)
        assert finding.numbers.keys() >= {*finding.parts, *claim.headline}
    parts = Finding.of(CLAIMS["theorem-1"], sample, reaches_paper=False).parts
    # At so few rounds the bounds of the Banditron are above T.
    assert list(parts.values()) == [VACUOUS] * 3 + [YES] * 2
    paper.draw_theorem(sample).savefig(tmp_path / "figure.png")


def test_the_bounds_are_those_of_the_run(sample):
    weights, complexity = paper.separator(paper.keywords(SEEDS))
    np.testing.assert_allclose(sample.measures["complexity"], complexity)
    for name in paper.RUNS:
        horizons, mistakes, bound, loss = paper.finals(sample, name)
        assert horizons.tolist() == [2100, 4000]
        assert mistakes[:, 1].tolist() == sample.measures[f"{name}, Banditron"][:, -1].tolist()
        assert bound[:, 1].tolist() == sample.measures[f"{name}, bound, Banditron"][:, -1].tolist()
        assert (mistakes[:, 0] != mistakes[:, 1]).all()
        if name != "SynSep":
            expected = paper.cumulative_loss("SynNonSep", SEEDS, weights, horizons)
            np.testing.assert_allclose(loss, expected)
        else:
            assert not loss.any()
        for h, horizon in enumerate(horizons):
            gamma = paper.exploration(name, horizon)
            for i in range(3):
                expected = bounds.banditron_mistakes(
                    horizon, n_labels=9, gamma=gamma, hinge_loss=loss[i, h],
                    complexity=complexity[i],
                )  # fmt: skip
                assert bound[i, h] == pytest.approx(float(expected))
        if name == paper.TIGHT:
            continue
        own = sample.measures[f"{name}, bound, Perceptron"][:, -1]
        expected = loss[:, 1] + complexity + np.sqrt(loss[:, 1] * complexity)
        np.testing.assert_allclose(own, expected)


def test_a_bound_that_is_broken_is_seen(sample):
    broken = {name: values.copy() for name, values in sample.measures.items()}
    broken["SynSep, Banditron"][:, 5] = 1e9
    broken["SynNonSep, Perceptron"][1, 3] = 1e9
    numbers = paper.theorem_numbers(sample._replace(measures=broken))
    assert float(numbers["Perceptron: seeds above (7), SynNonSep"].value) == pytest.approx(1 / 3)
    assert float(numbers["Banditron / Theorem 1, SynSep"].value) > 1
    assert float(numbers["Banditron / Theorem 1, SynNonSep"].value) < 1
    assert CLAIMS["theorem-1"].judge(numbers)["Perceptron: seeds above (7), SynNonSep"] is NO


def test_the_worst_ratio_is_of_means():
    first, second = np.array([[1.0, 8.0], [3.0, 0.0]]), np.array([[2.0, 1.0], [2.0, 7.0]])
    assert float(paper.worst_ratio(first, second).value) == 1.0
    assert float(paper.worst_ratio(first[:, ::-1], second[:, ::-1]).value) == 1.0
    assert float(paper.worst_ratio(2 * first[:, 1:], second[:, 1:]).value) == 2.0


def test_numbers_of_the_corollaries(sample):
    horizons = np.array([1000, 4000])
    loss = np.array([[100.0, 400.0], [140.0, 560.0], [100.0, 400.0]])
    mistakes = np.array([10.0, 20.0, 30.0])[:, None] * np.sqrt(horizons / 1000)
    ends = np.stack([mistakes, 2 * mistakes, loss], axis=-1)
    made_up = {"complexity": np.array([1.0, 1.0, 1.0])}
    for name in paper.ENVIRONMENTS:
        made_up |= {f"{name}, finals": ends, f"{name}, horizons": np.tile(horizons, (3, 1))}
    made_up = sample._replace(measures=made_up)
    low = paper.low_noise(made_up)
    assert float(low["exponent"].value) == pytest.approx(0.5)
    assert float(low["M / sqrt(kDT), largest"].value) == pytest.approx(20 / np.sqrt(9000))
    assert float(low["M / γT, least"].value) == pytest.approx(20 / np.sqrt(1800 * 1000))
    high = paper.high_noise(made_up)
    assert float(high["M / L, T = 4000"].value) == pytest.approx(120 / 1360)
    excess = [(120 / 1360 - 1) * (4000 / 1800) ** (1 / 3), (60 / 340 - 1) * (1 / 1.8) ** (1 / 3)]
    grown = float(high["e (T/kD)^(1/3), last - first"].value)
    assert grown == pytest.approx(excess[0] - excess[1])
    assert float(high["M / L, last over first"].value) == pytest.approx(0.5)
    assert float(high["L / T"].value) == pytest.approx(1360 / 12_000)


def test_theorem_1(parts_of):
    def of(banditron, seeds_above, bound=0.9, other=0.9):
        numbers = {}
        for name in paper.RUNS:
            numbers[f"Banditron / Theorem 1, {name}"] = banditron
            numbers[f"Theorem 1 / T, {name}"] = bound
        for name in paper.ENVIRONMENTS:
            numbers[f"Perceptron: seeds above (7), {name}"] = seeds_above
            numbers[f"(7) / T, {name}"] = other
        return list(parts_of("theorem-1", numbers).values())

    assert of(0.9, 0) == [YES] * 5
    assert of(0.9995, 0) == [UNCLEAR] * 3 + [YES] * 2
    assert of(1.1, 0.01) == [NO] * 5
    assert of(0.1, 0, bound=1.01) == [VACUOUS] * 3 + [YES] * 2
    assert of(0.1, 0, bound=0.9995) == [YES] * 5  # its interval is not all above 1
    assert of(0.1, 0, other=1.01) == [YES] * 3 + [VACUOUS] * 2


def test_low_noise(parts_of):
    names = ["exponent", "M / sqrt(kDT), largest", "M / γT, least"]

    def of(*values):
        return list(parts_of("low-noise", dict(zip(names, values, strict=True))).values())

    assert of(0.5, 1, 0.95) == [YES, YES, YES]
    assert of(0.39, 4.1, 0.88) == [NO, NO, NO]  # less than exploration alone costs
    assert of(0.61, 3.9995, 0.889) == [NO, UNCLEAR, UNCLEAR]


def test_high_noise(parts_of):
    names = ["M / L, last over first", "e (T/kD)^(1/3), last - first"]

    def of(*values):
        return list(parts_of("high-noise", dict(zip(names, values, strict=True))).values())

    assert of(0.9, -0.1) == [YES, YES]
    assert of(0.9995, 0.1) == [UNCLEAR, NO]
    assert of(1.1, 0.0) == [NO, UNCLEAR]
