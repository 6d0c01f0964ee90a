"""What there is, as rows and as a table that fits its terminal."""

import io

import pytest
from rich.console import Console

import agents
import banditgym
from leaderboards import listing, papers
from leaderboards.suite import available


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("envs", banditgym.WORLDS),
        ("agents", agents.LEARNERS),
        ("suites", available()),
        ("papers", papers.NAMES),
    ],
)
def test_everything_is_listed_by_its_name(what, names):
    rows = listing.rows(what)
    assert [next(iter(row.values())) for row in rows] == list(names)
    assert all(row["what"] and not set("`\\") & set(row["what"]) for row in rows)


@pytest.mark.parametrize(("width", "cited"), [(80, False), (120, True)])
def test_citations_give_way_and_names_do_not(width, cited, monkeypatch):
    console = Console(width=width, file=io.StringIO())
    monkeypatch.setattr(listing.rich, "get_console", lambda: console)
    console.print(listing.table(listing.rows("agents")))
    text = console.file.getvalue()
    assert ("Garivier" in text) is cited
    assert all(name in text for name in agents.LEARNERS)


def test_papers_keep_their_names_where_it_is_narrow(monkeypatch):
    monkeypatch.setattr(listing.rich, "get_console", lambda: Console(width=60))
    assert [column.header for column in listing.table(listing.rows("papers")).columns] == [
        "paper", "claims", "what"
    ]  # fmt: skip
