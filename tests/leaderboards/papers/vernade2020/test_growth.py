"""The rule on the growth of OTFLinUCB's regret with the delay, and a tiny run."""

from leaderboards.papers.vernade2020 import growth as paper
from leaderboards.papers.verdicts import Verdict


def test_growth(judged):
    def of(exponent, price):
        numbers = {"exponent": exponent, "price of the longest delay": price}
        (part,) = judged("growth", numbers).values()
        return part

    assert of(0.8, 50.0) is Verdict.REPRODUCED
    assert of(1.5, 50.0) is Verdict.NOT_REPRODUCED
    assert of(0.8, -1.0) is Verdict.INCONCLUSIVE  # a delay costs nothing: the run tells nothing


def test_a_tiny_run(tiny):
    sample = tiny("growth", {"horizon": 500})
    assert tuple(sample.rounds) == paper.DELAYS
