"""The rules of Figure 3, and its experiment at a tiny size."""

from leaderboards.papers.ouhamma2021 import figure_3 as paper
from leaderboards.papers.verdicts import Verdict, whole

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_order(judged):
    names = [f"λ = {ridge}, {reading}" for reading in paper.READINGS for ridge in paper.RIDGES]
    assert set(judged("figure-3-order", dict.fromkeys(names, 1.0)).values()) == {YES}
    parts = judged("figure-3-order", dict.fromkeys(names, 20.0) | {names[3]: 0.5})
    assert [name for name, verdict in parts.items() if verdict is YES] == [names[3]]
    assert whole(parts) is Verdict.PARTLY


def test_ridge(judged):
    ridge = {f"OFUL, {reading}": 3.0 for reading in paper.READINGS}
    forward = {f"ForwardOFUL, {reading}": 1.0 for reading in paper.READINGS}

    def of(numbers):
        return set(judged("figure-3-ridge", numbers).values())

    assert of(ridge | forward) == {YES}
    assert of(dict.fromkeys(ridge, 1.0) | forward) == {NO}
    assert of(ridge | dict.fromkeys(forward, 3.0)) == {NO}  # OFUL must depend on λ, not both


def test_the_experiment_at_a_tiny_size(tiny):
    sample = tiny("figure-3", {"horizon": 6})
    assert len(sample.measures) == 2 * 2 * 8
