"""The theorems' bounds recomputed, a BKB that must not pass them, and verdict rules."""

import math

import gymnasium
import numpy as np
import pytest

from agents import BKB, play
from leaderboards.papers.calandriello2019 import variance_theorem as paper
from leaderboards.papers.claim import Finding
from leaderboards.papers.verdicts import Verdict, whole
from leaderboards.rank.interval_estimates import Estimate

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED
HARD, EASY = "xi = 0.01, F = 5", "xi = 0.1, F = 1"


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def judged_whole(claim, numbers):
    return whole(judged(claim, numbers))


def judged_all(numbers):
    claims = ("theorem-regret", "theorem-regret-early", "confidence-set")
    return {k: v for claim in claims for k, v in CLAIMS[claim].judge(numbers).items()}


def test_the_theorems_qbar():
    assert paper.oversampling(500) == pytest.approx(72 * math.log(20_000))
    assert round(paper.oversampling(500)) == 713


def test_bounds():
    # kappa² = 1, lambda = 0.01, alpha = 3, xi = 0.1, F = 1, delta = 0.1
    assert paper.size_bound(np.array([2.0]), 5.0, 0.01)[0] == pytest.approx(3 * 101 * 3 * 5 * 2)
    found = paper.regret_bound(np.array([1, 50]), np.array([[1.0, 4.0]]), 0.1, 1.0)
    inside = 0.1 * 4 * math.log(50) + math.sqrt(0.01 * 4 * math.log(50)) + 0.1 * math.log(10)
    assert found[0, 1] == pytest.approx(2 * 6**1.5 * math.sqrt(50) * inside)
    assert found[0, 0] == pytest.approx(2 * 6**1.5 * 0.1 * math.log(10))
    repaired = paper.regret_bound(np.array([50]), np.array([[4.0]]), 0.1, 1.0, 0.01)
    grown = 4 * math.log(50 / 0.01)
    inside = 0.1 * grown + math.sqrt(0.01 * grown) + 0.1 * math.log(10)
    assert repaired[0, 0] == pytest.approx(2 * 6**1.5 * math.sqrt(50) * inside)


@pytest.fixture(scope="module")
def sample():
    return paper.theorems(SEEDS, horizon=60, n_arms=12)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.theorems([4], horizon=60, n_arms=12)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, False).numbers
    paper.draw_regret(sample).savefig(tmp_path / "figure.png")
    for case in paper.CASES:
        # All probabilities are 1: the exact posterior, and every arm pulled is an inducing point.
        assert sample.measures[f"{case}, factor"].max() < paper.EXACT
        assert not sample.measures[f"{case}, left out"].any()
        assert float(paper.size(sample)[f"|S| / d_eff at T, {case}"].value) > 1
        # The radius is the one of the formula, and f lies within the confidence set.
        assert sample.measures[f"{case}, radius"].max() < paper.ROUNDING
        assert 0.01 < sample.measures[f"{case}, error"].max() < 1


@pytest.mark.parametrize("case", paper.CASES)
def test_the_theorems_are_of_bkb_with_their_radius(sample, case):
    noise_std, norm = paper.CASES[case]
    envs = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=1, n_arms=12, dim=1, horizon=60, noise_std=noise_std,
        function="rkhs", param_norm=norm,
    )  # fmt: skip
    agent = BKB(qbar=72 * math.log(2400), radius="theory", delta=0.1, ridge=noise_std**2)
    trace = play(envs, agent, seed=[7])
    np.testing.assert_array_equal(
        sample.measures[f"{case}, regret"][2], trace.measures["regret"][0]
    )


def test_bkb_with_radius_0_does_not_pass(monkeypatch):
    monkeypatch.setattr(paper, "BKB", lambda *, radius, **known: BKB(radius=0.0, **known))
    numbers = paper.regret(paper.theorems(list(range(8)), horizon=60, n_arms=12))
    parts = judged_all(numbers)
    assert parts[f"runs not covered, {HARD}"] is parts[f"runs not covered, {EASY}"] is NO
    # The bound is about another radius.
    assert numbers[f"runs of another radius, {HARD}"].value == 1


def test_a_theorem_that_fails_is_seen(sample):
    broken = {name: values.copy() for name, values in sample.measures.items()}
    broken[f"{HARD}, factor"][1, -1] = 3.1
    broken[f"{HARD}, size"][0, 4] = 1e9
    broken[f"{HARD}, regret"][:] = 0.0
    broken[f"{HARD}, regret"][2, 7] = 1e9
    broken[f"{HARD}, error"][0, -1] = 1.1
    broken[f"{HARD}, radius"][:2, -1] = 0.1
    broken = sample._replace(measures=broken)
    third = pytest.approx(1 / 3)
    assert float(paper.accuracy(broken)[f"runs outside, {HARD}"].value) == third
    assert float(paper.size(broken)[f"runs above, {HARD}"].value) == third
    found = paper.regret(broken)
    assert float(found[f"runs above at the worst t, {HARD}"].value) == third
    assert float(found[f"runs above at T, {HARD}"].value) == 0
    assert float(found[f"last t with a run above, repaired, {HARD}"].value) == sample.rounds[7]
    assert float(found[f"runs not covered, {HARD}"].value) == third
    assert float(found[f"runs of another radius, {HARD}"].value) == pytest.approx(2 / 3)


def test_numbers_of_made_up_curves(sample):
    made_up = {name: values.copy() for name, values in sample.measures.items()}
    start = f"{EASY}, "
    made_up[start + "size"][:, -1], made_up[start + "effective dimension"][:, -1] = 10.0, 4.0
    made_up[start + "dimension after"][:, -1] = 4.0
    made_up[start + "widest gap"][:] = 2.0
    made_up[start + "regret"][:, -1] = 7.0
    made_up = sample._replace(measures=made_up)
    qbar = 72 * math.log(2400)
    found = paper.size(made_up)
    assert float(found[f"|S| / d_eff at T, {EASY}"].value) == 2.5
    assert float(found[f"bound / pulls at T, {EASY}"].value) == pytest.approx(909 * qbar * 4 / 59)
    bound = paper.regret_bound(np.array([60]), np.array([[4.0]]), 0.1, 1.0)[0, 0]
    found = paper.regret(made_up)
    assert float(found[f"bound / worst regret at T, {EASY}"].value) == pytest.approx(bound / 120)
    assert float(found[f"regret / bound at T, {EASY}"].value) == pytest.approx(7 / bound)


def test_accuracy_is_vacuous_where_s_has_all_pulled_arms():
    def of(outside, left_out, factor):
        numbers = {}
        for case in paper.CASES:
            numbers |= {
                f"runs outside, {case}": outside,
                f"rounds with a pulled arm outside S, {case}": left_out,
                f"worst factor, {case}": factor,
            }
        return judged_whole("theorem-accuracy", numbers)

    assert of(0.05, 0.5, 1.5) is YES
    assert of(0.2, 0.5, 3.5) is NO
    assert of(0.0, 0.0, 0.99) is Verdict.VACUOUS
    assert of(0.0, 0.0, 1.5) is YES  # nothing was left out, and yet the variance is another one


def test_size_is_vacuous_where_the_bound_exceeds_the_pulls():
    def of(above, bound):
        numbers = {f"runs above, {case}": above for case in paper.CASES}
        numbers |= {f"bound / pulls at T, {case}": bound for case in paper.CASES}
        return judged_whole("theorem-size", numbers)

    assert of(0.05, 0.5) is YES
    assert of(0.2, 0.5) is NO
    assert of(0.05, 1.5) is Verdict.VACUOUS


def test_regret():
    exact = Estimate(*map(np.asarray, (0.0, 0.0, 0.0)))

    def of(bound=0.1, at_end=0.05, early=0.05, uncovered=0.05, radius=exact):
        numbers = {}
        for case in paper.CASES:
            for form in ("", ", repaired"):
                numbers |= {
                    f"runs above at T{form}, {case}": number(at_end),
                    f"runs above at the worst t{form}, {case}": number(early),
                    f"bound / worst regret at T{form}, {case}": number(bound),
                }
            numbers[f"runs not covered, {case}"] = number(uncovered)
            numbers[f"runs of another radius, {case}"] = radius
        return judged_all(numbers)

    at_end, early = f"runs above at T, {HARD}", f"runs above at the worst t, {HARD}"
    assert set(of().values()) == {YES}
    assert of(early=0.5)[early] is NO
    assert of(early=0.5)[at_end] is YES
    assert of(at_end=0.5)[at_end] is NO
    assert of(at_end=0.5, bound=1.5)[at_end] is Verdict.VACUOUS
    assert of(radius=number(0.5))[at_end] is Verdict.INCONCLUSIVE
    assert of(uncovered=1.0)[f"runs not covered, {HARD}"] is NO
    assert of(uncovered=1.0, bound=1.5)[f"runs not covered, {HARD}"] is NO
