"""Incomplete claims are refused, and findings are judged by their numbers."""

import numpy as np
import pytest

from leaderboards.papers.claim import Claim, Experiment, Finding, Origin, Paper, Sample, Size
from leaderboards.papers.rules import above, below, each
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate


def number(value, low=None, high=None):
    limits = (value, value if low is None else low, value if high is None else high)
    return Estimate(*map(np.asarray, limits))


def experiment(**changes):
    given = {"name": "one", "simulate": lambda seeds: Sample(np.arange(1), {})}
    sizes = {
        "quick": Size(seeds=10, seeds_per_call=4, settings={"T": 1}),
        "full": Size(seeds=3, seeds_per_call=4),
    }
    return Experiment(**{**given, **sizes, **changes})


def claim(**changes):
    given = {
        "id": "one",
        "statement": "It falls.",
        "source": "Figure 1",
        "origin": Origin.FIGURE,
        "paper": "2",
        "setting": "small",
        "measure": "how far",
        "rule": "below 1",
        "experiment": experiment(),
        "numbers": lambda sample: {"far": number(sample.measures["far"].mean())},
        "judge": each(below, 1),
    }
    return Claim(**{**given, **changes})


def test_texts_may_be_wrapped():
    wrapped = claim(
        setting="""small,
        and wrapped """
    )
    assert wrapped.setting == "small, and wrapped "
    assert experiment(caption="two\n    lines").caption == "two lines"


def test_calls_have_every_seed_once():
    assert Size(seeds=10, seeds_per_call=4).calls() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert Size(seeds=3, seeds_per_call=4).calls() == [[0, 1, 2]]


def test_a_size_is_compared_with_the_papers():
    assert Size(seeds=1, seeds_per_call=1).words == "no size in the paper"
    unknown = Size(seeds=1, seeds_per_call=1, of_paper="unknown")
    assert unknown.words == "the paper's size is unknown to us"
    assert Size(seeds=1, seeds_per_call=1, of_paper=1).words == "the paper's size"
    assert Size(seeds=1, seeds_per_call=1, of_paper=0.1).words == "0.1 of the paper's size"
    sizes = {share: Size(seeds=1, seeds_per_call=1, of_paper=share) for share in (0.1, 1, None)}
    half = experiment(quick=sizes[0.1], full=sizes[1])
    assert (half.reaches_paper(False), half.reaches_paper(True)) == (False, True)
    below_it = experiment(quick=sizes[0.1], full=sizes[0.1])
    assert not below_it.reaches_paper(True)
    assert experiment(quick=sizes[None], full=sizes[None]).reaches_paper(False)  # the same
    assert not experiment(full=sizes[None]).reaches_paper(False)  # a larger one is at hand


def test_a_failure_below_the_papers_size_is_open():
    judge = {"judge": lambda numbers: {"far": Verdict.NOT_REPRODUCED, "near": Verdict.REPRODUCED}}
    assert claim(**judge).parts({}, False) == {"far": Verdict.OPEN, "near": Verdict.REPRODUCED}
    for parts in (
        claim(**judge).parts({}, True),
        claim(**judge, any_size="one counterexample is enough").parts({}, False),
    ):
        assert parts == {"far": Verdict.NOT_REPRODUCED, "near": Verdict.REPRODUCED}


@pytest.mark.parametrize(
    "changes",
    [
        {"judge": None},
        {"experiment": None},
        {"obstacle": "too large"},  # and yet it can be run
        {"experiment": None, "numbers": None, "judge": None},  # neither
        {"experiment": None, "numbers": None, "obstacle": "too large"},
    ],
)
def test_a_claim_is_run_or_says_why_not(changes):
    with pytest.raises(ValueError, match="claim one needs an experiment, numbers and judge, or"):
        claim(**changes)


@pytest.mark.parametrize("missing", ["setting", "measure", "rule"])
def test_a_claim_that_runs_says_how(missing):
    with pytest.raises(ValueError, match="claim one must state its setting, measure and rule"):
        claim(**{missing: ""})


def test_ids_of_a_paper_differ():
    with pytest.raises(ValueError, match="different ids"):
        Paper(name="p", title="", authors="", published="", link="", claims=(claim(), claim()))


def test_experiments_come_once():
    shared, other = experiment(), experiment(name="two")
    cannot = claim(id="4", experiment=None, numbers=None, judge=None, obstacle="too large")
    claims = (claim(experiment=shared), claim(id="2", experiment=shared))
    claims += (claim(id="3", experiment=other), cannot)
    paper = Paper(name="p", title="", authors="", published="", link="", claims=claims)
    assert paper.experiments() == [shared, other]
    assert paper.experiments([claims[2], cannot]) == [other]


def test_a_sample_is_read_by_round_and_by_run():
    curve = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    sample = Sample(np.array([1, 10, 100]), {"a, x": curve, "a, y": -curve, "ab, x": 2 * curve})
    assert sample.at("a, x", 10).tolist() == [2.0, 5.0]
    assert sample.at("ab, x", 100).tolist() == sample.at_end("ab, x").tolist() == [6.0, 12.0]
    assert sample.place(1) == 0
    with pytest.raises(IndexError):
        sample.place(50)
    assert {name: own[1, 2] for name, own in sample.of("a").items()} == {"x": 6.0, "y": -6.0}


def test_a_finding_is_read_from_the_sample():
    sample = Sample(np.arange(1), {"far": np.array([0.2, 0.4])})
    found = Finding.of(claim(), sample, True)
    assert (found.verdict, found.seeds) == (Verdict.REPRODUCED, 2)
    assert found.parts == {"far": Verdict.REPRODUCED}
    assert found.numbers["far"].value == pytest.approx(0.3)
    above_it = claim(judge=each(above, 1))
    assert Finding.of(above_it, sample, True).verdict is Verdict.NOT_REPRODUCED
    assert Finding.of(above_it, sample, False).verdict is Verdict.OPEN
    cannot = claim(experiment=None, numbers=None, judge=None, obstacle="too large")
    found = Finding.of(cannot, None, True)
    assert (found.verdict, found.seeds, found.numbers) == (Verdict.CANNOT_RUN, 0, {})
