"""Verdicts are functions of numbers with their intervals."""

import math

import numpy as np

from leaderboards.papers.claim import Verdict
from leaderboards.papers.rules import above, below, each, never, verdict, within
from leaderboards.rank.interval_estimates import Estimate


def number(value, low=None, high=None):
    limits = (value, value if low is None else low, value if high is None else high)
    return Estimate(*map(np.asarray, limits))


def test_parts_decide_a_verdict():
    assert verdict(True, True) is Verdict.REPRODUCED
    assert verdict(True, False) is verdict(False, True) is Verdict.PARTLY
    assert verdict(False, False) is Verdict.NOT_REPRODUCED


def test_limits_hold_for_the_whole_interval():
    wide = number(1.0, 0.5, 2.0)
    assert above(wide, 0.5)
    assert not above(wide, 0.6)
    assert below(wide, 2.0)
    assert not below(wide, 1.9)
    assert within(wide, 0.5, 2.0)
    assert not within(wide, 0.6, 2.0)
    assert not within(wide, 0.5, 1.9)
    unknown = number(1.0, math.nan, math.nan)
    assert not above(unknown, 0.0)
    assert not below(unknown, 2.0)


def test_each_number_is_a_part():
    numbers = {"a": number(1.0), "b": number(3.0), "c": number(5.0)}
    assert each(above, 1)(numbers) is Verdict.REPRODUCED
    assert each(above, 2)(numbers) is Verdict.PARTLY
    assert each(within, 2, 4, of=["b"])(numbers) is Verdict.REPRODUCED
    assert each(within, 2, 4, of=(name for name in "ac"))(numbers) is Verdict.NOT_REPRODUCED


def test_a_single_event_decides():
    assert never(number(0.0, 0.0, 0.1))
    assert not never(number(0.02, 0.0, 0.1))
