"""The rule on the order of KL-UCB-switch's regret, when it switches late, and a tiny run."""

import math

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.garivier2018 import order_of_regret as paper
from leaderboards.papers.verdicts import Verdict


def test_exponents_are_at_most_a_half(judged):
    for value, verdict in (
        (0.5, Verdict.REPRODUCED),
        (0.7, Verdict.NOT_REPRODUCED),
        (0.6, Verdict.INCONCLUSIVE),
    ):
        assert judged("distribution-free", {"x = 1, T": value}) == {"x = 1, T": verdict}


def test_exponents_of_made_up_regret():
    rounds = np.array([100, 1000, 10_000])
    runs = {
        "x = 1, T": np.outer([1.0, 2.0], rounds**0.5),
        "x = 1, K": np.outer([1.0, 2.0], np.array(paper.ARMS) ** 0.7),
    }
    found = {
        name: float(each.value) for name, each in paper.exponents(Sample(rounds, runs)).items()
    }
    assert found == pytest.approx({"x = 1, T": 0.5, "x = 1, K": 0.7})


def test_when_the_switch_comes_after_the_plays_of_the_worse_arm():
    divergence = 0.8 * math.log(0.8 / 0.9) + 0.2 * math.log(0.2 / 0.1)

    def late(horizon):
        return (horizon / 2) ** 0.2 > math.log(horizon) / divergence

    assert not late(5e14)
    assert late(5.5e14)


def test_a_tiny_run(tiny):
    sample = tiny("worst-cases", {"longest": 5000})
    assert list(sample.rounds) == [50, 500, 5000]
    assert len(sample.measures) == 6
