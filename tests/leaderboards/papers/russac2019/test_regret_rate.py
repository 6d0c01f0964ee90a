"""The rule on the rate of D-LinUCB's regret, and a tiny run."""

from leaderboards.papers.russac2019 import regret_rate as paper  # noqa: F401 (for the fixtures)
from leaderboards.papers.verdicts import Verdict


def test_rate(judged):
    def of(discounted, linucb):
        numbers = {"exponent, D-LinUCB": discounted, "exponent, LinUCB": linucb}
        (part,) = judged("theorem-rate", numbers).values()
        return part

    assert of(0.7, 1.0) is Verdict.REPRODUCED
    assert of(0.9, 1.0) is Verdict.NOT_REPRODUCED
    assert of(0.3, 1.0) is Verdict.NOT_REPRODUCED
    assert of(0.7, 0.7) is Verdict.INCONCLUSIVE  # nothing to forget: the run tells nothing


def test_a_tiny_run(tiny):
    assert list(tiny("theorem-rate", {"longest": 960}).rounds) == [60, 240, 960]
