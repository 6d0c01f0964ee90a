"""The rule on the forward variant of D-LinUCB, and its experiment at a tiny size."""

from leaderboards.papers.ouhamma2021 import drift as paper
from leaderboards.papers.verdicts import Verdict


def test_drift(judged):
    for ratio, verdict in (
        (1.0, Verdict.REPRODUCED),
        (1.2, Verdict.NOT_REPRODUCED),
        (0.9, Verdict.INCONCLUSIVE),
    ):
        assert judged("drift", {"forward / D-LinUCB": ratio}) == {"forward / D-LinUCB": verdict}


def test_drift_at_a_tiny_size(tiny):
    sample = tiny("drift", {"horizon": 120})
    assert set(sample.measures) == set(paper.AGENTS)
