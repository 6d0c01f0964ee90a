"""Verdict rules of the claims on descent, on made-up numbers."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Finding
from leaderboards.papers.rakhlin2008 import PAPER
from leaderboards.papers.rakhlin2008 import descent_claims as paper
from leaderboards.papers.rakhlin2008.descent_runs import descent, draw
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in PAPER.claims}
HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_bounds():
    vacuous = "CurvatureDescent, signs, linear: bound / possible"
    agents = ("CurvatureDescent", "AdaptiveDescent")

    def of(above=(0, 0), outside=(0, 0), possible=(0.1, 0.1)):
        numbers = {vacuous: 1.01}
        for agent, *values in zip(agents, above, outside, possible, strict=True):
            names = ("seeds above", "seeds outside the ball", "bound / possible")
            numbers |= {f"{agent}: {name}": x for name, x in zip(names, values, strict=True)}
        parts = judged("descent-bounds", numbers)
        assert parts[vacuous] is Verdict.VACUOUS
        return tuple(parts[f"{agent}: seeds above"] for agent in agents)

    assert of() == (HOLDS, HOLDS)
    assert of(above=(0, 0.02)) == (HOLDS, FAILS)
    assert of(above=(0.02, 0)) == (FAILS, HOLDS)
    assert of(outside=(0.02, 0)) == (Verdict.INCONCLUSIVE, HOLDS)
    assert of(above=(0, 1), possible=(0.1, 1.1)) == (HOLDS, Verdict.VACUOUS)


@pytest.mark.parametrize("claim", ["bounds-met", "balance"])
def test_equalities(claim):
    names = (
        [f"{agent}: seeds off" for agent in paper.MET] if claim == "bounds-met" else ["seeds off"]
    )
    none = dict.fromkeys(names, 0)
    assert set(judged(claim, none).values()) == {HOLDS}
    for name in names:
        assert judged(claim, none | {name: 0.02})[name] is FAILS


def test_a_rate_has_two_sides():
    assert paper.at_rate(number(0.55), 0.5) is HOLDS
    assert paper.at_rate(number(0.7), 0.5) is FAILS
    assert paper.at_rate(number(0.6), 0.5) is Verdict.INCONCLUSIVE  # its interval has the limit
    assert paper.at_rate(number(0.3), 0.5) is Verdict.INCONCLUSIVE  # an easy adversary
    assert paper.at_rate(number(0.5), 0.5, FAILS) is Verdict.INCONCLUSIVE
    assert paper.at_rate(number(math.nan), 0.5) is Verdict.INCONCLUSIVE


def test_logarithm():
    numbers = dict.fromkeys(paper.LOGARITHMIC, 0.0)
    assert whole(judged("logarithm", numbers)) is HOLDS
    assert judged("logarithm", numbers | {"curved": 0.5})["curved"] is FAILS
    assert judged("logarithm", numbers | {"curved": -0.5})["curved"] is Verdict.INCONCLUSIVE


def test_linear_growth():
    assert whole(judged("late-linear", {"bound": 1.0, "regret, signs": 1.0})) is HOLDS
    assert judged("late-linear", {"bound": 1.0, "regret, signs": 0.5})["regret, signs"] is FAILS
    assert judged("late-linear", {"bound": 1.2, "regret, signs": 1.0})["bound"] is FAILS
    assert judged("random-linear", {"exponent": 0.5})["exponent"] is HOLDS
    assert judged("random-linear", {"exponent": 1.0})["exponent"] is FAILS


def test_interpolation():
    control_of = {
        "signs, a = 0.75": "without lambda_t, signs, a = 0.75",
        "signs, a = 0": "step 1/sqrt(t), signs, a = 0",
    }
    power = dict.fromkeys(control_of.values(), 0.7)
    good = power | paper.RATES
    assert whole(judged("interpolation", good)) is HOLDS
    for name, rate in paper.RATES.items():
        assert judged("interpolation", good | {name: rate + 0.2})[name] is FAILS
        assert judged("interpolation", good | {name: rate - 0.2})[name] is Verdict.INCONCLUSIVE
    for name, blunt in control_of.items():
        parts = judged("interpolation", good | {blunt: 0.05})
        assert [part for part, v in parts.items() if v is Verdict.INCONCLUSIVE] == [name]


def test_square_root():
    names = ("signs, a = 0", "signs, linear")
    good = {"seeds above": 0, **dict.fromkeys(names, 0.5)}
    assert whole(judged("square-root", good)) is HOLDS
    assert judged("square-root", good | {"seeds above": 0.02})["seeds above"] is FAILS
    assert judged("square-root", good | {names[0]: 0.7})[names[0]] is FAILS
    assert judged("square-root", good | {names[0]: 0.0})[names[0]] is Verdict.INCONCLUSIVE


@pytest.fixture(scope="module")
def sample():
    return descent([3, 4, 7], horizon=1000)


def test_a_tiny_run(sample, tmp_path):
    own = [c for c in PAPER.claims if c.experiment and c.experiment.name == "descent"]
    found = {claim.id: Finding.of(claim, sample, True) for claim in own}
    assert len(found) == 8
    assert all(finding.numbers for finding in found.values())
    for exact in ("descent-bounds", "bounds-met", "balance"):  # at any size
        assert found[exact].verdict is HOLDS
    assert found["late-linear"].parts["bound"] is HOLDS
    draw(sample).savefig(tmp_path / "figure.png")


@pytest.mark.parametrize(
    ("agent", "measure", "claim"),
    [
        ("AdaptiveDescent, late coins", "", "descent-bounds"),
        ("AdaptiveDescent, late coins", "farthest point, ", "descent-bounds"),
        ("CurvatureDescent, curved", "met, ", "bounds-met"),
        ("AdaptiveDescent, curved", "balance, ", "balance"),
    ],
)
def test_what_is_broken_on_one_seed_is_seen(sample, agent, measure, claim):
    values = sample.measures[measure + agent].copy()
    values.reshape(len(values), -1)[1, -1] = 1e3
    broken = sample._replace(measures={**sample.measures, measure + agent: values})
    assert Finding.of(CLAIMS[claim], broken, True).verdict is not HOLDS


def test_growth_exponents_are_those_of_powers():
    rounds = np.array([10, 100, 1000])
    curves = {"log": np.log(rounds), "root": 5 + 2 * np.sqrt(rounds), "line": rounds - 3.0}
    sample = paper.Sample(rounds, {name: np.tile(c, (3, 1)) for name, c in curves.items()})
    for name, power in {"log": 0.0, "root": 0.5, "line": 1.0}.items():
        assert float(paper.growth_exponent(sample, name).value) == pytest.approx(power)
