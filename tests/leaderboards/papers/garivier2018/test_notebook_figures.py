"""The rules on the comparison of KL-UCB-switch with others, and a tiny run."""

import pytest

from leaderboards.papers.garivier2018 import notebook_figures as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


@pytest.mark.parametrize("claim", ["better-than-ucb", "klucb-on-bounded", "plus-plus-on-coins"])
def test_less_regret(judged, claim):
    found = judged(claim, {"one": 0.9, "two": 1.1, "three": 1.0})
    assert found == {"one": HOLDS, "two": FAILS, "three": Verdict.INCONCLUSIVE}


def test_about_the_same(judged):
    assert set(judged("like-moss", {"one": 1.1, "two": 0.9}).values()) == {HOLDS}
    assert set(judged("like-moss", {"one": 1.3, "two": 0.7}).values()) == {FAILS}


def test_the_bonus_of_moss_is_the_notebooks():
    """sqrt(log+(t / (K N)) / (2 N)): R sqrt(2 (1 + alpha) ..) with R = 1/2 and alpha = 0."""
    moss = paper.AGENTS["MOSS"]
    assert (moss.alpha, moss.anytime) == (0.0, True)  # pyright: ignore[reportAttributeAccessIssue]


def test_a_tiny_run(tiny):
    sample = tiny("problems", {"horizon": 300})
    assert len(sample.measures) == 17
    assert [name for name in sample.measures if name.startswith("KL-UCB++")] == [
        "KL-UCB++, Bernoulli"
    ]
    assert set(paper.over_ucb(sample)) == {
        *("Bernoulli, KL-UCB++ / UCB",),
        *(f"{of}, {name} / UCB" for of in paper.PROBLEMS for name in ("Switch", "KL-UCB", "MOSS")),
    }
