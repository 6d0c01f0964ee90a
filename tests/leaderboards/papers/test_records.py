"""Findings survive as plain data."""

import json

import pytest

from leaderboards.papers import paper_page
from leaderboards.papers.records import recalled, record
from leaderboards.papers.reproduce import reproduce
from leaderboards.processes.workers import Here


@pytest.mark.parametrize("given", [{}, {"horizon": 60}])
def test_a_page_follows_from_the_record(tiny, given):
    done = reproduce(tiny.PAPER, given=given, executor=Here)
    known = json.loads(json.dumps(record(done), allow_nan=False))
    again = recalled(tiny.PAPER, known)
    assert again.findings == done.findings
    assert paper_page.markdown(again) == paper_page.markdown(done)


def test_a_record_says_what_a_reader_needs_to_check_it(tiny):
    done = reproduce(tiny.PAPER, full=True, executor=Here)
    known = record(done)
    assert (known["form"], known["link"]) == ("full", "https://doi.org/10.0/tiny")
    (run,) = known["experiments"].values()
    assert run["settings"] == {"horizon": "200"}
    assert len(run["sources"]) == 16
    (provenance,) = run["provenances"]
    assert "numba" in provenance["libraries"]
    first, second, third = known["findings"]
    assert (first["rule"], first["amended"], first["origin"]) == (
        "< 0.8",
        "It was 0.7.",
        "figure or table",
    )
    assert (first["seeds"], first["size"]) == (9, "the paper's size")
    assert second["parts"] == {"UCB1 / uniform": "not reproduced"}
    assert second["command"] == "banditgym reproduce tiny2030 --full --claim tenth"
    number = first["numbers"]["UCB1 / uniform"]
    assert number["low"] < number["value"] < number["high"]
    assert (third["obstacle"], third["verdict"]) == ("no simulation", "cannot be run here")
