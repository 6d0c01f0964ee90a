"""Findings as texts and as a table for a terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from leaderboards.papers.findings_table import between, headline, table, tally, verdict_words
from leaderboards.papers.reproduce import reproduce
from leaderboards.papers.verdicts import Verdict
from leaderboards.processes.workers import Here


@pytest.fixture(scope="module")
def done(tiny):
    return reproduce(tiny.PAPER, executor=Here)


def test_the_table_has_every_number_and_verdict(done):
    console = Console(width=120, file=io.StringIO())
    with console.capture() as capture:
        console.print(table(done))
    text = capture.get()
    number = done.findings[0].numbers["UCB1 / uniform"]
    words = ("tiny2030", "quick form", "half", "0.5 | 1/2", "no simulation", "7 seeds")
    words += ("0.75 of the paper's size", "open at this size, quick", "reproduced, quick")
    for word in (*words, f"{between(number)}  reproduced"):
        assert word in text


def test_parts_that_are_no_numbers_are_in_the_table(done, tiny):
    parts = {"control": Verdict.INCONCLUSIVE, "UCB1 / uniform": Verdict.REPRODUCED}
    finding = replace(done.findings[0], parts=parts)
    console = Console(width=120, file=io.StringIO())
    with console.capture() as capture:
        console.print(table(replace(done, findings=[finding])))
    assert ["control", "inconclusive"] in [line.split()[-2:] for line in capture.get().splitlines()]
    assert tally(finding) == "1 of 2 parts reproduced"
    assert tally(done.findings[0]) == ""
    finding = replace(finding, parts=parts | {"bound": Verdict.VACUOUS})
    assert tally(finding) == "1 of 3 parts reproduced; 1 vacuous, which does not count"


def test_quick_stands_beside_every_verdict_that_was_run(done, tiny):
    full = reproduce(tiny.PAPER, full=True, executor=Here)
    words = [verdict_words(finding, done) for finding in done.findings]
    assert words == ["reproduced, quick", "open at this size, quick", "cannot be run here"]
    words = [verdict_words(finding, full) for finding in full.findings]
    assert words == ["reproduced", "not reproduced", "cannot be run here"]


def test_the_headline_is_the_claims_choice_or_what_is_judged(done):
    finding = done.findings[0]
    number = finding.numbers["UCB1 / uniform"]
    more = replace(finding, numbers={"beside": number, **finding.numbers})
    assert list(headline(more)) == ["UCB1 / uniform"]
    chosen = replace(more, claim=replace(finding.claim, headline=("beside",)))
    assert list(headline(chosen)) == ["beside"]
    assert list(headline(replace(more, parts={"else": Verdict.VACUOUS}))) == list(more.numbers)
