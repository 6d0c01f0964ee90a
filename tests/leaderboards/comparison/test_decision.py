"""Pairs of agents from their regrets: means, verdicts, and how they are shown."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from leaderboards.comparison.decision import CONTINUATIONS, Rule, decision, pair
from leaderboards.rank import betting

UNTIL = Rule(until_decided=True, budget=1000, margin=0.1, alpha=0.05, bound=1.2)
GIVEN = replace(UNTIL, until_decided=False)
NAMES = ("A", "B")


def regrets(mean, n=40, seed=0, spread=0.2, n_tasks=3):
    """Regrets (n, n_tasks) of 0 or more."""
    return np.abs(np.random.default_rng(seed).normal(mean, spread, (n, n_tasks)))


@pytest.mark.parametrize("means", [(0.2, 0.8), (0.8, 0.2), (0.6, 0.65), (9.0, 3.0)])
def test_a_pair_is_its_definition_until_decided(means):
    first, second = regrets(means[0]), regrets(means[1], seed=1)
    found = pair(NAMES, first, second, UNTIL)
    # The mean over tasks of the scaled regrets.
    a, b = ([sum(row) / 3 for row in own.tolist()] for own in (first, second))
    code, seen = betting.first_verdict(np.array(a), np.array(b), 0.1, 1.2, 0.05)
    expected = {0: None, 1: "better", 2: "worse", 3: "equivalent"}[int(code)]
    assert (found.verdict, found.seeds) == (expected, seen)
    assert found.decided_after == (None if expected is None else seen)
    assert found.regrets == pytest.approx((np.mean(a[:seen]), np.mean(b[:seen])))
    differences = np.subtract(a, b)[:seen]
    shown = found.difference
    assert shown.value == pytest.approx(differences.mean())
    assert (shown.low, shown.high) == pytest.approx(betting.interval(differences, 1.2))
    assert found.above == sum(each > 1.2 for each in [*a[:seen], *b[:seen]])


def test_the_verdicts_of_the_cases_above_are_the_ones_that_they_should_be():
    cases = {(0.2, 0.8): "better", (0.8, 0.2): "worse", (0.6, 0.65): None, (9.0, 3.0): "worse"}
    for (a, b), verdict in cases.items():
        assert pair(NAMES, regrets(a), regrets(b, seed=1), UNTIL).verdict == verdict
    far = pair(NAMES, regrets(9.0), regrets(3.0, seed=1), UNTIL)
    assert far.above == 2 * far.seeds  # counted in full, and told
    assert far.regrets == pytest.approx((9, 3), abs=0.5)


def test_agents_of_small_regrets_that_differ_by_half_are_not_equivalent():
    """A difference of 0.023 in scores is half of the better agent's regret."""
    rng = np.random.default_rng(0)
    first = 0.05 * rng.uniform(0.8, 1.2, (1000, 1))
    second = 0.073 * rng.uniform(0.8, 1.2, (1000, 1))
    found = pair(NAMES, first, second, UNTIL)
    assert found.verdict == "better"
    wide = pair(NAMES, first, second, replace(UNTIL, margin=0.6))
    assert wide.verdict == "better" or wide.seeds < found.seeds
    # The same regrets but for a hundredth are equivalent, once there are enough seeds.
    alike = pair(NAMES, first, 1.01 * first, replace(UNTIL, margin=0.15))
    assert alike.verdict == "equivalent"


def test_two_copies_are_equivalent_within_300_seeds():
    own = regrets(0.3, n=300)
    found = pair(("A", "A #2"), own, own, UNTIL)
    assert (found.verdict, found.difference.value) == ("equivalent", 0)
    assert found.seeds < 200
    # The interval lies within the margin, a tenth of the mean regret.
    assert -0.1 * found.regrets[1] < found.difference.low < 0
    assert 0 < found.difference.high < 0.1 * found.regrets[1]
    assert pair(NAMES, own, own, replace(UNTIL, margin=0.3)).seeds < found.seeds
    # The larger one exceeds the smaller one by more than a tenth, the difference of 0.2 does not.
    assert pair(NAMES, 0.7 * own, own, UNTIL).verdict != "equivalent"
    # Perfect agents have no regret to take a share of.
    assert pair(NAMES, 0 * own, 0 * own, UNTIL).verdict is None


def test_given_seeds_are_judged_as_those_until_decided():
    first, second = regrets(0.2), regrets(0.8, seed=1)
    found = pair(NAMES, first, second, GIVEN)
    until = pair(NAMES, first, second, UNTIL)
    assert (found.verdict, found.seeds, found.more) == ("better", 40, 0)
    assert found.decided_after == until.seeds == until.decided_after
    low, high = betting.interval((first - second).mean(axis=1), 1.2)
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(8))
def test_no_number_beside_a_verdict_contradicts_it(seed):
    """On given seeds a verdict and the interval rest on the same test."""
    rng = np.random.default_rng(seed)
    first = regrets(0.4, n=60, seed=seed, n_tasks=1)
    second = first + rng.uniform(0.0, 0.3) * rng.uniform(0.2, 1, (60, 1))
    for rule, n in itertools.product((GIVEN, UNTIL), (5, 20, 60)):
        one = pair(NAMES, first[:n], second[:n], rule)
        excluded = one.difference.high < 0 or one.difference.low > 0
        assert excluded == (one.verdict in ("better", "worse"))


def test_a_difference_that_is_found_after_an_equivalence_counts_on_given_seeds():
    first = np.full((900, 1), 0.5)
    second = first + 0.02
    until, given = (pair(NAMES, first, second, rule) for rule in (UNTIL, GIVEN))
    assert (until.verdict, given.verdict) == ("equivalent", "better")
    assert given.difference.high < 0
    assert until.difference.high > 0


def test_how_many_more_seeds_would_decide_is_the_median_of_continuations():
    first, second = regrets(0.4, n=10), regrets(0.6, n=10, seed=1)
    found = pair(NAMES, first, second, GIVEN)
    assert found.verdict is None
    a, b = first.mean(axis=1), second.mean(axis=1)
    draws = np.random.default_rng(0).integers(10, size=(CONTINUATIONS, 990))
    until = []
    for own in draws:
        longer = (np.concatenate([each, each[own]]) for each in (a, b))
        code, seen = betting.first_verdict(*longer, 0.1, 1.2)
        until.append(int(seen) - 10 if code else math.inf)
    assert found.more == sorted(until)[CONTINUATIONS // 2]
    assert 5 < found.more < 200
    short = replace(GIVEN, budget=found.more + 5)
    assert pair(NAMES, first, second, short).more is None
    assert pair(NAMES, first, second, replace(GIVEN, budget=3)).more is None
    assert replace(GIVEN, budget=400_000).farthest == 10_000  # memory is bounded
    assert pair(NAMES, first, second, UNTIL).more is None


def test_all_pairs_are_compared_on_what_both_have_played():
    by = {"A": regrets(0.2), "B": regrets(0.8, seed=1), "C": regrets(0.5, n=25, seed=2)}
    found = decision("here", UNTIL, by, {"one": 2.0}, ())
    assert [(p.first, p.second) for p in found.pairs] == [*itertools.combinations("ABC", 2)]
    assert found.pairs[1] == pair(("A", "C"), by["A"][:25], by["C"], UNTIL)
    assert not decision("here", UNTIL, {"A": by["A"], "D": by["A"]}, {"one": 2.0}, ()).decided
    assert decision("here", UNTIL, {"A": by["A"], "B": by["B"]}, {"one": 2.0}, ()).decided


def test_what_is_shown():
    by = {"A": regrets(0.2), "B": regrets(0.8, seed=1), "C\x1b": regrets(0.21)}
    rule = replace(UNTIL, alpha=0.05 / 3)
    text = repr(decision("here(x=1)", rule, by, {"one": 1234.5, "two": 2}, ("a note",)))
    flat = " ".join(text.split())
    assert "here(x=1), 2 tasks" in text
    assert "A is better after" in text
    assert "undecided after 40 seeds" in text
    assert "difference [98.3 %]" in text
    assert "scaled regret: divided by uniform play's, and the mean over tasks" in flat
    assert "found and interval: by betting, alpha 0.05, shared by 3 pairs" in flat
    assert "neither agent's mean regret exceeds the other's by more than 10 %" in flat
    assert "bound: 1.2 times uniform play's mean regret" in flat
    assert "uniform play has a mean regret of 1234 on one, 2 on two" in flat
    assert "a note" in text
    assert "P(first wins)" not in text
    assert "\x1b" not in text
    given = decision("here", GIVEN, {"A": by["A"], "B": by["B"]}, {"one": 1.0}, ())
    assert "more to decide" in repr(given)
    assert "more to decide" not in text
    far = replace(GIVEN, budget=45)
    assert "over 5" in repr(decision("here", far, {"A": by["A"], "C": by["C\x1b"]}, {"one": 1}, ()))


def test_the_verdict_says_the_regrets_in_the_unit_of_the_measure():
    rule = replace(UNTIL, measure="regret", unit=200.0)
    first, second = np.full((300, 1), 0.2), np.full((300, 1), 0.3)
    found = pair(NAMES, first, second, rule)
    assert found.regrets == pytest.approx((40, 60))
    assert found.found == f"A is better after {found.seeds} seeds: regret 40 against 60"
    assert found.difference.value == pytest.approx(-20)
    scaled = pair(NAMES, first, second, UNTIL)
    assert scaled.seeds == found.seeds
    assert found.difference.low == pytest.approx(200 * scaled.difference.low)
    turned = pair(NAMES, second, first, rule).found
    assert turned == f"B is better after {found.seeds} seeds: regret 40 against 60"
    alike = pair(NAMES, first, first, rule)
    assert alike.found == (
        f"equivalent after {alike.seeds} seeds: regret 40 and 40, neither more than 10 % above the "
        "other"
    )
    assert (
        pair(NAMES, first[:1], first[:1], rule).found == "undecided after 1 seed: regret 40 and 40"
    )


def test_it_is_plain_data():
    found = decision("here", UNTIL, {"A": regrets(0.2), "B": regrets(0.8)}, {"one": 2.0}, ("n",))
    again = json.loads(json.dumps(found.plain(), allow_nan=False))
    (own,) = again["pairs"]
    assert (own["first"], own["second"], own["verdict"]) == ("A", "B", "better")
    assert own["difference"]["low"] < own["difference"]["value"] < own["difference"]["high"]
    assert own["regrets"] == list(found.pairs[0].regrets)
    assert (again["rule"]["margin"], again["rule"]["bound"]) == (0.1, 1.2)
    assert (again["denominators"], again["notes"]) == ({"one": 2.0}, ["n"])
