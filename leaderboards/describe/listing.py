"""Lists environments, agents, suites and papers.

Agents and papers are imported where they are listed: the other lists need none.
"""

from collections.abc import Iterator
from typing import Any

from rich import box
from rich.table import Table

from banditgym.registration import ENVIRONMENTS
from banditgym.validation import nearest
from leaderboards.describe.docstrings import summary
from leaderboards.suites.suite import available, load

Rows = Iterator[tuple[list[str], dict[str, Any]]]  # of each entry: its families, what is shown

# Other names of families.
FAMILIES = {
    "contextual": "linear",
    "k-armed": "armed",
    "multi-armed": "armed",
    "kernel": "kernelized",
    "gp": "kernelized",
    "gaussian-process": "kernelized",
    "convex": "strongly_convex",
    "points": "strongly_convex",
    "oco": "losses",
    "labels": "multiclass",
    "classification": "multiclass",
    "prediction": "regression",
    "replay": "news",
}


def rows(what: str | None, family: str | None = None) -> list[dict[str, Any]]:
    """One mapping per entry; its first value is the name that other commands take.

    Parameters
    ----------
    what : str
        ``envs``, ``agents``, ``suites`` or ``papers``.
    family : str, optional
        Only those of this family of problems; names in `FAMILIES` are accepted too.

    Raises
    ------
    ValueError
        If ``what`` or ``family`` is unknown, or a family is given for papers.
    """
    tables = {"envs": _envs, "agents": _agents, "suites": _suites, "papers": _papers}
    known = ", ".join(tables)
    if what is None:
        raise ValueError(f"name what to list, one of {known}")
    if what not in tables:
        raise ValueError(f"cannot list {what!r}{nearest(what, tables) or f'; there are {known}'}")
    chosen = None if family is None else _family(family)
    if chosen is not None and what == "papers":
        raise ValueError("papers have no family: banditgym list papers")
    return [row for families, row in tables[what]() if chosen is None or chosen in families]


def table(rows: list[dict[str, Any]], cite: bool = False) -> Table:
    """The same for a terminal; names are never cut.

    Parameters
    ----------
    cite : bool
        Whether agents' sources have a column.
    """
    name, *others = [
        column
        for column in rows[0]
        if column not in ("needs", "library")
        and (cite or column != "paper" or column == next(iter(rows[0])))
    ]
    found = Table(box=box.SIMPLE_HEAD)
    found.add_column(name, no_wrap=True)
    for other in others:
        found.add_column(other)
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and bool(row.get("library")) != bool(before.get("library")):
            found.add_section()  # a separator before agents that use another library
        found.add_row(*(_cell(row, column) for column in (name, *others)))
    return found


def _cell(row: dict[str, Any], column: str) -> str:
    if column != "what":
        return str(row[column])
    needs = f"arguments: {row['needs']}" if row.get("needs") else row.get("library")
    return f"{row[column]} (needs {needs})" if needs else row[column]


def _family(name: str) -> str:
    families = list(dict.fromkeys(env.family for env in ENVIRONMENTS.values()))
    word = name.lower()
    for spelled in (word, word.replace("-", "_")):
        if (found := FAMILIES.get(spelled, spelled)) in families:
            return found
    hint = nearest(word, [*families, *FAMILIES])
    raise ValueError(f"unknown family {name!r}{hint}; there are {', '.join(families)}")


def _envs() -> Rows:
    for name, env in ENVIRONMENTS.items():
        yield [env.family], {"env": name, "family": env.family, "what": env.summary}


def _agents() -> Rows:
    from agents.naming import families_of, named, required
    from agents.parts.deep.library_agent import LibraryAgent

    for name, kind in named().items():
        families = families_of(kind)
        about = {
            "agent": name,
            "plays": _listed(families),
            "paper": kind.paper,
            "what": summary(kind),
            "needs": ", ".join(required(kind)),
            "library": kind.library if issubclass(kind, LibraryAgent) else "",
        }
        yield families, about


def _listed(families: list[str]) -> str:
    """Families as a short text."""
    others = sorted({env.family for env in ENVIRONMENTS.values()} - set(families))
    return f"all but {', '.join(others)}" if 0 < len(others) < 3 else ", ".join(families)


def _suites() -> Rows:
    for suite in map(load, available()):
        about = {
            "suite": suite.name,
            "tasks": len(suite.tasks),
            "seeds": len(suite.seeds),
            "hash": suite.hash,
            "what": suite.title,
        }
        yield suite.families, about


def _papers() -> Rows:
    from leaderboards import papers

    for paper in map(papers.load, papers.NAMES):
        claims = ", ".join(claim.id for claim in paper.claims)
        yield [], {"paper": paper.name, "claims": claims, "what": paper.title}
