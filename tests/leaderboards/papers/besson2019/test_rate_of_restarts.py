"""The rule on the rate of GLR-klUCB's regret, and a tiny run."""

from leaderboards.papers.besson2019 import rate_of_restarts as paper  # noqa: F401 (for the fixtures)
from leaderboards.papers.verdicts import Verdict


def test_rate(judged):
    def of(tested, klucb):
        numbers = {"exponent, GLR-klUCB": tested, "exponent, KL-UCB": klucb}
        (part,) = judged("theorem-rate", numbers).values()
        return part

    assert of(0.5, 1.0) is Verdict.REPRODUCED
    assert of(0.7, 1.0) is Verdict.NOT_REPRODUCED
    assert of(0.5, 0.8) is Verdict.INCONCLUSIVE  # nothing to forget: the run tells nothing


def test_a_tiny_run(tiny):
    assert list(tiny("theorem-rate", {"longest": 960}).rounds) == [60, 240, 960]
