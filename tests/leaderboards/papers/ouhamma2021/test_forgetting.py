"""The rules on agents that forget, and their experiments at a tiny size."""

from leaderboards.papers.ouhamma2021 import forgetting as paper  # noqa: F401 (for the fixtures)
from leaderboards.papers.verdicts import Verdict

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_drift(judged):
    def of(oful, linucb):
        numbers = {"DiscountedLinUCB / OFUL": oful, "DiscountedLinUCB / LinUCB": linucb}
        found = judged("drift", numbers | {"ForwardDiscountedLinUCB / DiscountedLinUCB": 9.0})
        return list(found.values())

    assert of(0.5, 0.98) == [YES, YES]
    assert of(0.5, 1.0) == [YES, Verdict.INCONCLUSIVE]
    assert of(1.5, 1.2) == [NO, NO]


def test_widths(judged):
    found = judged("forgetful-widths", {"DiscountedLinUCB": 1.0, "SlidingWindowLinUCB": 0.5})
    assert list(found.values()) == [YES, NO]


def test_drift_at_a_tiny_size(tiny):
    tiny("drift", {"horizon": 3050})


def test_widths_at_a_tiny_size(tiny):
    sample = tiny("widths", {"horizon": 60})
    assert all((values > 0).all() for values in sample.measures.values())
