"""What there is: environments, learners, suites and papers, a row each."""

import re
from typing import Any

import rich
from rich import box
from rich.table import Table

from agents.naming import learners, nearest
from banditgym.registration import WORLDS
from leaderboards import papers
from leaderboards.suite import available, load

NARROW = 100  # columns of a terminal below which citations are left out


def rows(what: str | None) -> list[dict[str, Any]]:
    """A mapping for each, of which the first value is the name that other commands take.

    Raises
    ------
    ValueError
        Unless ``what`` is envs, agents, suites or papers.
    """
    tables = {"envs": _envs, "agents": _agents, "suites": _suites, "papers": _papers}
    known = ", ".join(tables)
    if what is None:
        raise ValueError(f"name what to list, one of {known}")
    if what not in tables:
        raise ValueError(f"cannot list {what!r}{nearest(what, tables) or f'; there are {known}'}")
    return tables[what]()


def table(rows: list[dict[str, Any]]) -> Table:
    """The same for a terminal; names are never cut."""
    name, *others = rows[0]
    if rich.get_console().width < NARROW and "what" in others:
        others = [other for other in others if other != "paper"]
    found = Table(box=box.SIMPLE_HEAD)
    found.add_column(name, no_wrap=True)
    for other in others:
        found.add_column(other)
    for row in rows:
        found.add_row(*(str(row[key]) for key in (name, *others)))
    return found


def _envs() -> list[dict[str, str]]:
    return [{"env": name, "family": w.family, "what": w.summary} for name, w in WORLDS.items()]


def _agents() -> list[dict[str, str]]:
    return [
        {
            "agent": name,
            "plays": ", ".join(task.family for task in kind.accepts),
            "paper": kind.paper,
            "what": _plain((kind.__doc__ or "").strip().partition("\n")[0]),
        }
        for name, kind in learners().items()
    ]


def _plain(text: str) -> str:
    """A line of a docstring without its markup."""
    return re.sub(r":math:|[`\\]", "", text)


def _suites() -> list[dict[str, Any]]:
    return [
        {
            "suite": suite.name,
            "tasks": len(suite.tasks),
            "seeds": len(suite.seeds),
            "hash": suite.hash,
            "what": suite.title,
        }
        for suite in map(load, available())
    ]


def _papers() -> list[dict[str, Any]]:
    return [
        {
            "paper": one.name,
            "claims": ", ".join(claim.id for claim in one.claims),
            "what": one.title,
        }
        for one in map(papers.load, papers.NAMES)
    ]
