"""The rules on greedy play, numbers by hand, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.kannan2018 import perturbed_contexts as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_perturbed_judges_greedy_alone(judged):
    for slope, verdict in ((0.3, HOLDS), (0.7, OPEN), (1.0, FAILS)):
        numbers = {"Greedy, sigma = 0.1": slope, "LinUCB, sigma = 0.1": 0.9}
        assert judged("perturbed", numbers) == {"Greedy, sigma = 0.1": verdict}


def test_no_conflict_judges_perturbed_contexts_alone(judged):
    for ratio, verdict in ((0.9, HOLDS), (1.1, OPEN), (1.5, FAILS)):
        found = judged("no-conflict", dict.fromkeys(paper.PERTURBED, ratio) | {"fixed arms": 9.0})
        assert found == dict.fromkeys(paper.PERTURBED, verdict)


def test_failure_to_learn_needs_an_agent_that_learns(judged):
    for slope, control, verdict in (
        (1.0, 0.4, HOLDS), (0.9, 0.4, OPEN), (0.5, 0.4, FAILS), (1.0, 0.9, OPEN),
    ):  # fmt: skip
        numbers = {"Greedy, fixed arms": slope, "LinUCB, fixed arms": 0.9, paper.CONTROL: control}
        assert judged("failure-to-learn", numbers) == {"Greedy, fixed arms": verdict}


def test_numbers_by_hand():
    rounds = np.array([10, 100, 1000])
    places = (*paper.PERTURBED, paper.FIXED)
    measures = {f"Greedy, {place}": np.tile([1.0, 10.0, 100.0], (3, 1)) for place in places}
    measures |= {f"LinUCB, {place}": np.tile([1.0, 10.0, 50.0], (3, 1)) for place in places}
    sample = Sample(rounds, measures)
    assert paper.ratios(sample)["sigma = 0.3"].value == 2.0
    assert paper.exponents(sample, ["fixed arms"])["Greedy, fixed arms"].value == pytest.approx(1.0)


def test_a_tiny_run(tiny):
    sample = tiny("perturbed-contexts", {"horizon": 1000})
    assert len(sample.measures) == 9
    assert (np.diff(sample.measures["Greedy, fixed arms"], axis=1) >= 0).all()
