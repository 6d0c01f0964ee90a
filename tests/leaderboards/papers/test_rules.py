"""Verdicts are functions of numbers with their intervals."""

import math

import numpy as np
import pytest

from leaderboards.papers.rules import (
    above,
    at_most,
    below,
    below_if_above,
    both,
    each,
    given,
    holds,
    if_possible,
    never,
    together,
    within,
)
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate

R, N, UNCLEAR = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
V = Verdict.VACUOUS


def number(value, low=None, high=None):
    limits = (value, value if low is None else low, value if high is None else high)
    return Estimate(*map(np.asarray, limits))


WIDE = number(1.0, 0.5, 2.0)


@pytest.mark.parametrize(
    ("test", "limits", "verdict"),
    [
        (above, [0.5], R),
        (above, [0.6], UNCLEAR),
        (above, [2.0], UNCLEAR),
        (above, [2.1], N),
        (below, [2.0], R),
        (below, [1.9], UNCLEAR),
        (below, [0.5], UNCLEAR),
        (below, [0.4], N),
        (within, [0.5, 2.0], R),
        (within, [0.6, 2.0], UNCLEAR),
        (within, [0.5, 1.9], UNCLEAR),
        (within, [2.1, 3.0], N),
        (within, [0.1, 0.4], N),
    ],
)
def test_limits_hold_or_fail_for_the_whole_interval(test, limits, verdict):
    assert test(WIDE, *limits) is verdict


def test_a_number_without_an_interval_decides_nothing():
    unknown = number(1.0, math.nan, math.nan)
    assert above(unknown, 0.0) is below(unknown, 2.0) is within(unknown, 0, 2) is UNCLEAR


def test_each_number_is_a_part():
    numbers = {"a": number(1.0), "b": number(3.0), "c": number(5.0)}
    assert each(above, 1)(numbers) == {"a": R, "b": R, "c": R}
    assert each(above, 2)(numbers) == {"a": N, "b": R, "c": R}
    assert each(within, 2, 4, of=["b"])(numbers) == {"b": R}
    judge = each(within, 2, 4, of=(name for name in "ac"))
    assert judge(numbers) == judge(numbers) == {"a": N, "c": N}


def test_a_star_stands_for_any_text():
    names = ("far, a", "far", "far, b", "near, a", "far, a, b")
    numbers = {name: number(i) for i, name in enumerate(names)}
    assert each(above, 1, of="far, *")(numbers) == {"far, a": N, "far, b": R, "far, a, b": R}
    assert each(above, 1, of="*, a")(numbers) == {"far, a": N, "near, a": R}
    assert each(above, 1, of="far, *b")(numbers) == {"far, b": R, "far, a, b": R}
    assert list(each(above, 1, of=["near, *", "far"])(numbers)) == ["near, a", "far"]
    with pytest.raises(ValueError, match=r"no number is called 'fa, \*'; there are far, a, far"):
        each(above, 1, of="fa, *")(numbers)
    with pytest.raises(ValueError, match="no number is called 'x'"):
        each(above, 1.0, of="x")(numbers)
    with pytest.raises(ValueError, match="no number"):
        each(above, 1, of="far, *, a")(numbers)  # of "far, a" the comma would count twice


def test_each_number_has_its_own_bound():
    numbers = {"far, a": number(3), "far, b": number(3), "room, a": number(1), "room, b": number(0)}
    assert each(below, 2, of="far, *", bound="room, *")(numbers) == {"far, a": V, "far, b": N}
    assert each(below, 2, of="far, b", bound="room, a")(numbers) == {"far, b": V}
    numbers["room, a"] = number(1.0, 0.99, 1.1)
    assert each(below, 2, of="far, *", bound="room, *")(numbers) == {"far, a": N, "far, b": N}


def test_rules_are_joined_in_order():
    numbers = {"a": number(1.0), "b": number(3.0), "c": number(5.0)}
    judge = together(each(above, 4, of="c"), each(within, 0, 2, of=["b", "a"]))
    assert list(judge(numbers).items()) == [("c", R), ("b", N), ("a", R)]


def test_a_number_is_below_a_limit_where_it_is_above_another():
    limits = ((0.5, 2.0), (0.6, 2.0), (0.5, 1.9), (0.1, 0.4), (2.1, 3.0))
    assert [below_if_above(WIDE, *own) for own in limits] == [R, UNCLEAR, UNCLEAR, N, UNCLEAR]


def test_a_number_without_an_interval_is_at_most_a_limit():
    assert [at_most(number(1.0, math.nan, math.nan), limit) for limit in (1.0, 0.9)] == [R, N]


def test_a_single_event_decides():
    assert never(number(0.0, 0.0, 0.1)) is R
    assert never(number(0.02, 0.0, 0.1)) is N
    assert (holds(True), holds(False)) == (R, N)


def test_several_tests_are_one_part():
    assert both(R, R) is R
    assert both(R, UNCLEAR, N) is N
    assert both(R, UNCLEAR) is UNCLEAR
    assert both(R, V) is V


def test_a_control_that_fails_leaves_a_part_inconclusive():
    assert given(R, N) is N
    assert given(N, R) is given(UNCLEAR, N) is UNCLEAR


def test_a_bound_above_the_worst_case_is_vacuous():
    assert if_possible(number(3.0, 2.0, 4.0), 2.0, R) is V
    assert if_possible(number(3.0, 1.9, 4.0), 2.0, R) is R
