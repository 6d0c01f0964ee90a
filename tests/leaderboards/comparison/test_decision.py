"""Pairs of agents from their scores: differences, verdicts, and how they are shown."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from leaderboards.comparison.decision import (
    CONTINUATIONS,
    Interval,
    Rule,
    decision,
    pair,
)
from leaderboards.rank import betting

UNTIL = Rule(until_decided=True, budget=1000, margin=0.05, alpha=0.05)
GIVEN = Rule(until_decided=False, budget=1000, margin=0.05, alpha=0.05)


def scores(mean, n=40, seed=0, spread=0.3, n_tasks=3):
    return np.random.default_rng(seed).normal(mean, spread, (n, n_tasks))


def plain_differences(first, second):
    """D of every seed, from its definition."""
    out = []
    for a, b in zip(first, second, strict=True):
        total = sum(
            max(-1.0, min(1.0, x)) - max(-1.0, min(1.0, y)) for x, y in zip(a, b, strict=True)
        )
        out.append(total / len(a))
    return np.array(out)


@pytest.mark.parametrize("means", [(0.8, 0.2), (0.2, 0.8), (0.4, 0.35), (3.0, -9.0)])
def test_a_pair_is_its_definition_until_decided(means):
    first, second = scores(means[0]), scores(means[1], seed=1)
    found = pair(("A", "B"), first, second, UNTIL)
    x = (plain_differences(first, second) + 2) / 4
    code, seen = betting.first_verdict(x, 0.0125, 0.05)
    expected = {0: None, 1: "better", 2: "worse", 3: "equivalent"}[int(code)]
    assert (found.verdict, found.seeds) == (expected, seen)
    assert found.decided_after == (None if expected is None else seen)
    low, high = betting.interval(x[:seen])
    shown = found.difference
    assert shown.value == pytest.approx(4 * x[:seen].mean() - 2)
    assert (shown.low, shown.high) == pytest.approx((4 * low - 2, 4 * high - 2))
    cells = np.concatenate([first[:seen], second[:seen]])
    assert (found.clipped, found.cells) == ((abs(cells) > 1).sum(), 2 * seen * 3)
    wins = (first > second)[:seen].mean()
    assert found.improvement.value == pytest.approx(wins)


def test_the_verdicts_of_the_cases_above_are_the_ones_that_they_should_be():
    cases = {(0.8, 0.2): "better", (0.2, 0.8): "worse", (0.4, 0.35): None, (3.0, -9.0): "better"}
    for (a, b), verdict in cases.items():
        assert pair(("A", "B"), scores(a), scores(b, seed=1), UNTIL).verdict == verdict
    extremes = pair(("A", "B"), scores(3.0), scores(-9.0, seed=1), UNTIL)
    assert extremes.difference.value == 2  # clipped, all of them
    assert extremes.clipped == extremes.cells


def test_on_given_seeds_the_interval_is_student_s():
    first, second = scores(0.8), scores(0.2, seed=1)
    found = pair(("A", "B"), first, second, GIVEN)
    differences = plain_differences(first, second)
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert found.seeds == 40
    assert found.difference == Interval(
        *(pytest.approx(v) for v in (differences.mean(), low, high))
    )
    assert found.verdict == "better"
    assert found.decided_after == pair(("A", "B"), first, second, UNTIL).seeds
    assert found.more == 0
    one = pair(("A", "B"), first[:1], second[:1], GIVEN)
    assert (one.difference.low, one.difference.high) == (None, None)


def test_how_many_more_seeds_would_decide_is_the_median_of_continuations():
    first, second = scores(0.4, n=10), scores(0.2, n=10, seed=1)
    found = pair(("A", "B"), first, second, GIVEN)
    assert found.verdict is None
    x = (plain_differences(first, second) + 2) / 4
    draws = np.random.default_rng(0).integers(10, size=(CONTINUATIONS, 990))
    until = []
    for own in draws:
        code, seen = betting.first_verdict(np.concatenate([x, x[own]]), 0.0125)
        until.append(int(seen) - 10 if code else math.inf)
    assert found.more == sorted(until)[CONTINUATIONS // 2]
    assert 10 < found.more < 200
    short = Rule(until_decided=False, budget=found.more + 5, margin=0.05, alpha=0.05)
    assert pair(("A", "B"), first, second, short).more is None
    assert pair(("A", "B"), first, second, Rule(False, 3, 0.05, 0.05)).more is None
    assert Rule(False, 400_000, 0.05, 0.05).farthest == 10_000  # memory is bounded
    assert pair(("A", "B"), first, second, UNTIL).more is None


def test_two_copies_are_equivalent_within_300_seeds():
    own = scores(0.5, n=300)
    found = pair(("A", "A #2"), own, own, UNTIL)
    assert found.verdict == "equivalent"
    assert found.seeds < 300
    assert found.difference.value == 0
    assert -0.05 <= found.difference.low < 0 < found.difference.high <= 0.05
    wide = Rule(until_decided=True, budget=1000, margin=0.2, alpha=0.05)
    assert pair(("A", "A #2"), own, own, wide).seeds < found.seeds


def test_all_pairs_are_compared_on_what_both_have_played():
    by = {"A": scores(0.8), "B": scores(0.2, seed=1), "C": scores(0.5, n=25, seed=2)}
    found = decision("here", UNTIL, by, {"one": 2.0}, ())
    assert [(p.first, p.second) for p in found.pairs] == [*itertools.combinations("ABC", 2)]
    assert found.pairs[1] == pair(("A", "C"), by["A"][:25], by["C"], UNTIL)
    assert not found.decided
    assert decision("here", UNTIL, {"A": by["A"], "B": by["B"]}, {"one": 2.0}, ()).decided


def test_what_is_shown():
    by = {"A": scores(0.8), "B": scores(0.2, seed=1), "C\x1b": scores(0.79)}
    rule = Rule(until_decided=True, budget=1000, margin=0.05, alpha=0.05 / 3)
    text = repr(decision("here(x=1)", rule, by, {"one": 1234.5, "two": -2}, ("a note",)))
    assert "here(x=1), 2 tasks" in text
    assert "A is better after" in text
    assert "undecided after 40 seeds" in text
    assert "difference [98.3 %]" in text
    assert "clipped mean" in text
    assert "not the leaderboard's interquartile mean" in " ".join(text.split())
    assert "alpha 0.05, shared by 3 pairs" in text
    assert "P(first wins): on a seed of a task, a tie counts half; it decides nothing" in text
    assert "a score of 1 is 1234 on one, -2 on two" in text
    assert "a note" in text
    assert "\x1b" not in text
    given = decision("here", GIVEN, {"A": by["A"], "B": by["B"]}, {"one": 1.0}, ())
    assert "Student's t over the given seeds, alpha 0.05" in repr(given)
    assert "more to decide" in repr(given)
    assert "more to decide" not in text
    far = Rule(until_decided=False, budget=45, margin=0.05, alpha=0.05)
    assert "over 5" in repr(decision("here", far, {"A": by["A"], "C": by["C\x1b"]}, {"one": 1}, ()))


def test_it_is_plain_data():
    found = decision("here", UNTIL, {"A": scores(0.8), "B": scores(0.2)}, {"one": 2.0}, ("n",))
    again = json.loads(json.dumps(found.plain(), allow_nan=False))
    (own,) = again["pairs"]
    assert (own["first"], own["second"], own["verdict"]) == ("A", "B", "better")
    assert own["difference"]["low"] < own["difference"]["value"] < own["difference"]["high"]
    assert own["improvement"]["high"] == found.pairs[0].improvement.high
    assert again["rule"]["margin"] == 0.05
    assert (again["denominators"], again["notes"]) == ({"one": 2.0}, ["n"])
