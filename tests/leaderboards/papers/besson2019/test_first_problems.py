"""The rule on the first two problems, and a tiny run."""

import pytest

from agents import DiscountedUCB, SlidingWindowUCB
from leaderboards.papers.besson2019 import first_problems as paper
from leaderboards.papers.verdicts import Verdict


def test_better_than_klucb(judged):
    names = [f"{problem}, local / KL-UCB" for problem in paper.PROBLEMS]
    beside = {f"{problem}, local / global": 2.0 for problem in paper.PROBLEMS}
    holds = judged("efficient", dict.fromkeys(names, 0.5) | beside)
    assert holds == dict.fromkeys(names, Verdict.REPRODUCED)
    one = judged("efficient", {names[0]: 0.5, names[1]: 1.2} | beside)
    assert one == {names[0]: Verdict.REPRODUCED, names[1]: Verdict.NOT_REPRODUCED}


def test_agents_that_forget_are_tuned_as_in_the_authors_code():
    agents = paper.agents(20_000)
    # 2 sqrt(T log T / 4) = 445.05, and 1 - sqrt(4 / T) / 4.
    assert agents["SW-UCB"].window == 445
    assert agents["D-UCB"].discount == pytest.approx(0.9964644660940673)
    assert isinstance(agents["SW-UCB"], SlidingWindowUCB)
    assert isinstance(agents["D-UCB"], DiscountedUCB)


def test_a_tiny_run(tiny):
    sample = tiny("problems", {"horizon": 400})
    assert len(sample.measures) == 10
