"""Lists as rows, and as a table that fits its terminal."""

import io
import re
from itertools import pairwise

import pytest
from rich.console import Console

import banditgym
from agents import naming
from banditgym.registration import ENVIRONMENTS
from leaderboards import papers
from leaderboards.describe import listing
from leaderboards.suites.suite import available, load


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("envs", banditgym.ENVIRONMENTS),
        ("agents", naming.named()),
        ("suites", available()),
        ("papers", papers.NAMES),
    ],
)
def test_everything_is_listed_by_its_name(what, names):
    rows = listing.rows(what)
    assert [next(iter(row.values())) for row in rows] == list(names)
    assert all(row["what"] and not set("`\\") & set(row["what"]) for row in rows)


def shown(rows, width, cite=False):
    console = Console(width=width, file=io.StringIO())
    console.print(listing.table(rows, cite))
    return console.file.getvalue()


@pytest.mark.parametrize("cite", [False, True])
def test_citations_come_on_demand_and_names_are_whole(cite):
    text = shown(listing.rows("agents"), 80, cite)
    assert ("Garivier" in text) is cite
    assert all(name in text for name in naming.named())


@pytest.mark.parametrize("what", ["envs", "agents", "suites"])
def test_no_row_takes_more_than_four_lines_of_a_hundred_columns(what):
    rows = listing.rows(what)
    names = [next(iter(row.values())) for row in rows]
    lines = [line for line in shown(rows, 100).splitlines() if line.strip()]
    begins = [i for i, line in enumerate(lines) if line.strip().split(" ")[0] in names]
    assert len(begins) == len(names)
    assert max(end - start for start, end in pairwise([*begins, len(lines)])) <= 4


@pytest.mark.parametrize("what", ["envs", "agents", "suites"])
@pytest.mark.parametrize(
    ("family", "meant"),
    [("linear", "linear"), ("Strongly-Convex", "strongly_convex"), ("gp", "kernelized")],
)
def test_a_family_filters(what, family, meant):
    names = {next(iter(row.values())) for row in listing.rows(what, family)}
    expected = {
        "envs": {name for name, env in ENVIRONMENTS.items() if env.family == meant},
        "agents": {
            name
            for name, kind in naming.named().items()
            if meant in [task.family for task in kind.accepts]
        },
        "suites": {
            name for name in available() if meant in [task.family for task in load(name).tasks]
        },
    }
    assert names == expected[what]


def test_every_alias_is_of_a_family():
    for alias in listing.FAMILIES:
        assert listing.rows("envs", alias)


@pytest.mark.parametrize(
    ("what", "family", "message"),
    [
        (
            "agents",
            "liner",
            "unknown family 'liner'; did you mean linear?; there are armed, adversarial",
        ),
        ("agents", "zzz", "unknown family 'zzz'; there are armed"),
        ("papers", "linear", "papers have no family"),
    ],
)
def test_an_unknown_family_is_told_the_known_ones(what, family, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        listing.rows(what, family)


def test_what_needs_arguments_says_so():
    rows = {row["agent"]: row["needs"] for row in listing.rows("agents")}
    assert {name for name, needs in rows.items() if needs} == {
        *("Halving", "ProjectedHalving", "Pending", "Restarting"),
    }
    assert "(needs arguments: hypotheses)" in " ".join(shown(listing.rows("agents"), 200).split())


def test_papers_are_named_without_citations_too():
    assert [column.header for column in listing.table(listing.rows("papers")).columns] == [
        "paper", "claims", "what"
    ]  # fmt: skip
