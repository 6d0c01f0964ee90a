"""The claims of auer2002: rules on made-up numbers, and tiny runs."""

import math

import numpy as np
import pytest

from leaderboards.papers import estimates
from leaderboards.papers.auer2002 import PAPER
from leaderboards.papers.auer2002.seven_problems import (
    CONSTANTS,
    MEANS,
    UCBS,
    bound,
    draw,
    gaps,
    greedy,
    policies,
    seven_problems,
    tuned,
)
from leaderboards.papers.claim import Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in PAPER.claims}
R, N, UNCLEAR = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def judged(claim, values, width=0.01):
    numbers = {name: number(value, width) for name, value in values.items()}
    return CLAIMS[claim].judge(numbers)


def problems(value, **others):
    return {f"problem {p}": others.get(f"p{p}", value) for p in MEANS}


def test_gaps_and_the_bound_by_hand():
    assert gaps("12") == pytest.approx([0.1] * 3 + [0.2] * 3 + [0.3] * 3)
    by_hand = 8 * math.log(1000) / 0.3 + (1 + math.pi**2 / 3) * 0.3
    assert bound("1", 1000) == pytest.approx(by_hand)
    assert bound("11", 1000) == pytest.approx(9 * by_hand)


def test_every_greedy_agent_knows_the_least_gap():
    greedy_ones = [agent for name, agent in policies("12").items() if name not in UCBS]
    assert [agent.gap for agent in greedy_ones] == pytest.approx([0.1] * len(CONSTANTS))
    assert len(policies("1")) == len(UCBS) + len(CONSTANTS)


def test_theorem_1():
    def numbers(regret, limit):
        found = {f"regret / bound, {p}": number(regret) for p in MEANS}
        return found | {f"bound / worst regret, {p}": estimates.exact(limit) for p in MEANS}

    judge = CLAIMS["theorem-1"].judge
    assert whole(judge(numbers(0.3, 0.5))) is R
    assert whole(judge(numbers(1.3, 0.5))) is N
    assert whole(judge(numbers(0.3, 1.5))) is Verdict.VACUOUS


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        ("tuned-beats-ucb1", problems(0.3), R),
        ("tuned-beats-ucb1", problems(0.8), N),
        ("tuned-beats-ucb1", problems(0.5), UNCLEAR),
        ("tuned-greedy-is-best", problems(0.5, p12=1.5, p14=1.5), R),
        ("tuned-greedy-is-best", problems(0.5), Verdict.PARTLY),
        ("tuned-greedy-is-best", problems(1.5, p12=0.5, p14=0.5), N),
        ("constant-matters", problems(4.0, p13=1.2), R),
        ("constant-matters", problems(1.2, p13=4.0), N),
        ("tuned-is-comparable", problems(3.0, p1=1.0, p2=1.0, p3=0.6, p11=1.9), R),
        ("tuned-is-comparable", problems(3.0, p1=1.0, p2=1.0, p3=0.6), N),
        ("tuned-is-comparable", problems(3.0, p1=1.0, p2=1.0, p3=0.6, p11=2.0), UNCLEAR),
        ("ucb2-slightly-worse", problems(1.3), R),
        ("ucb2-slightly-worse", problems(0.9), N),
        ("ucb2-slightly-worse", problems(2.5), N),
        ("variance-does-not-matter", {"problem 3 / problem 2": 0.9}, R),
        ("variance-does-not-matter", {"problem 3 / problem 2": 2.2}, N),
    ],
)
def test_rules(claim, values, verdict):
    assert whole(judged(claim, values)) is verdict


@pytest.fixture(scope="module")
def sample():
    return seven_problems([0, 1, 2], 200)


def test_a_tiny_run_has_every_number(sample):
    assert len(sample.measures) == len(MEANS) * (len(UCBS) + len(CONSTANTS))
    for claim in PAPER.claims:
        numbers = claim.numbers(sample)
        assert set(claim.judge(numbers)) <= {*numbers, "most problems"}
    assert len(draw(sample).axes) == len(MEANS) + 1


def test_a_seed_does_not_depend_on_others(sample):
    alone = seven_problems([2], 200)
    for name, regret in sample.measures.items():
        np.testing.assert_array_equal(regret[2], alone.measures[name][0])


def test_the_constant_of_the_least_mean_regret_is_chosen(sample):
    measures = dict(sample.measures)
    for c in CONSTANTS:
        measures[f"3, {greedy(c)}"] = np.full_like(measures["3, UCB1"], 1 + abs(c - 0.2))
    changed = Sample(sample.rounds, measures)
    assert tuned(changed, "3") == greedy(0.2)
    assert float(CLAIMS["constant-matters"].numbers(changed)["problem 3"].value) == pytest.approx(
        1.2
    )
