"""Incomplete claims are refused, and findings are judged by their numbers."""

import numpy as np
import pytest

from leaderboards.papers.claim import Claim, Experiment, Finding, Paper, Sample, Size, Verdict
from leaderboards.papers.rules import below, verdict
from leaderboards.rank.interval_estimates import Estimate


def number(value, low=None, high=None):
    limits = (value, value if low is None else low, value if high is None else high)
    return Estimate(*map(np.asarray, limits))


def experiment(**changes):
    given = {"name": "one", "simulate": lambda seeds: Sample(np.arange(1), {}), "seeds_per_call": 4}
    return Experiment(**{**given, "quick": Size(seeds=10), "full": Size(seeds=3), **changes})


def claim(**changes):
    given = {
        "id": "one",
        "statement": "It falls.",
        "source": "Figure 1",
        "paper": "2",
        "setting": "small",
        "measure": "how far",
        "rule": "below 1",
        "experiment": experiment(),
        "numbers": lambda sample: {"far": number(sample.measures["far"].mean())},
        "judge": lambda numbers: verdict(below(numbers["far"], 1)),
    }
    return Claim(**{**given, **changes})


def test_verdicts_are_words():
    assert [str(v) for v in Verdict] == [
        "reproduced",
        "partly",
        "not reproduced",
        "cannot be run here",
    ]


def test_texts_may_be_wrapped():
    wrapped = claim(
        setting="""small,
        and wrapped """
    )
    assert wrapped.setting == "small, and wrapped "
    assert experiment(caption="two\n    lines").caption == "two lines"


def test_calls_hold_every_seed_once():
    assert experiment().calls(full=False) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert experiment().calls(full=True) == [[0, 1, 2]]


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
        Paper(name="p", title="", reference="", claims=(claim(), claim()))


def test_experiments_come_once():
    shared, other = experiment(), experiment(name="two")
    cannot = claim(id="4", experiment=None, numbers=None, judge=None, obstacle="too large")
    claims = (claim(experiment=shared), claim(id="2", experiment=shared))
    claims += (claim(id="3", experiment=other), cannot)
    paper = Paper(name="p", title="", reference="", claims=claims)
    assert paper.experiments() == [shared, other]
    assert paper.experiments([claims[2], cannot]) == [other]


def test_a_finding_is_read_from_the_sample():
    found = Finding.of(claim(), Sample(np.arange(1), {"far": np.array([0.2, 0.4])}))
    assert (found.verdict, found.seeds) == (Verdict.REPRODUCED, 2)
    assert found.numbers["far"].value == pytest.approx(0.3)
    found = Finding.of(claim(), Sample(np.arange(1), {"far": np.array([0.2, 4.0, 3.0])}))
    assert (found.verdict, found.seeds) == (Verdict.NOT_REPRODUCED, 3)
    cannot = claim(experiment=None, numbers=None, judge=None, obstacle="too large")
    found = Finding.of(cannot, None)
    assert (found.verdict, found.seeds, found.numbers) == (Verdict.CANNOT_RUN, 0, {})
