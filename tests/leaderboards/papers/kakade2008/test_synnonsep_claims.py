"""Verdict rules of the claims on the middle of Figure 1, and what is read off its curves."""

import pytest

from leaderboards.papers.kakade2008 import synnonsep_claims as paper
from leaderboards.papers.kakade2008.error_rates import ANY_OF_NINE
from leaderboards.papers.verdicts import Verdict

YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
UNCLEAR = Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("error", "slope", "found"),
    [
        (0.1, 0, [YES, YES]),
        (0.1, -0.1, [YES, NO]),
        (0.1095, 0, [UNCLEAR, YES]),
        (0.08, 0.06, [NO, NO]),
    ],
)
def test_synnonsep_perceptron(error, slope, found, parts_of):
    numbers = {}
    for reading, e, s in (("any of 8", 0.1, 0), ("any of 9", error, slope)):
        numbers |= {f"error at T, {reading}": e, f"slope, T/10 .. T, {reading}": s}
    assert list(parts_of("synnonsep-perceptron", numbers).values()) == [YES, YES, *found]


def test_synnonsep_banditron(parts_of, judged):
    names = [f"error at T, {s}, {own}" for own in paper.READINGS for s in paper.SHAPES[:2]]
    assert judged("synnonsep-banditron", dict.fromkeys(names, 0.13)) is YES
    assert judged("synnonsep-banditron", dict.fromkeys(names, 0.117)) is NO
    parts = parts_of(
        "synnonsep-banditron", dict(zip(names, (0.13, 0.15, 0.1395, 0.1), strict=True))
    )
    assert [parts[name] for name in names] == [YES, NO, UNCLEAR, NO]


def test_synnonsep_shape(parts_of, judged):
    flat, steep = ([f"{part}, {own}" for own in paper.SHAPES] for part in (
        "error, 10^4 / 10^2", "slope, 10^4 .. T"
    ))  # fmt: skip
    good = dict.fromkeys(flat, 0.8) | dict.fromkeys(steep, -0.4)
    assert judged("synnonsep-shape", good) is YES
    assert judged("synnonsep-shape", good | {flat[1]: 0.3}) is PARTLY
    assert parts_of("synnonsep-shape", good | {steep[2]: -0.2495})[steep[2]] is UNCLEAR
    bad = dict.fromkeys(flat, 0.3) | dict.fromkeys(steep, -0.1)
    assert judged("synnonsep-shape", bad) is NO


def rate(env, gamma, rounds):
    level = 0.05 if env == ANY_OF_NINE else 0.1
    return (level + 10 * abs(gamma - 2**-4)) * (rounds / 1e5) ** -0.3


def test_numbers_of_known_curves(figure_1_sample):
    sample = figure_1_sample(rate)
    found = paper.perceptron_plateau(sample)
    assert float(found["error at T, any of 8"].value) == pytest.approx(0.1 + 10 / 16)
    assert float(found["error at T, any of 9"].value) == pytest.approx(0.05 + 10 / 16)
    assert float(found["slope, T/10 .. T, any of 9"].value) == pytest.approx(-0.3)
    found = paper.banditron_error(sample)
    for reading, level in (("any of 8", 0.1), ("any of 9", 0.05)):
        assert float(found[f"best γ, {reading}"].value) == 2**-4
        for label, off in zip(paper.SHAPES, (0, 10 / 32, 30 / 64), strict=True):
            expected = level + off
            assert float(found[f"error at T, {label}, {reading}"].value) == pytest.approx(expected)
    found = paper.banditron_shape(sample)
    for label in paper.SHAPES:
        assert float(found[f"error, 10^4 / 10^2, {label}"].value) == pytest.approx(100**-0.3)
        assert float(found[f"slope, 10^4 .. T, {label}"].value) == pytest.approx(-0.3)
