"""A page for every agent: source, where it plays, its rows on the board, and its docstring."""

import dataclasses
import functools
import json
import re
from collections.abc import Mapping, Sequence

import agents
from agents import naming
from agents.agent import Agent
from banditgym.registration import ENVIRONMENTS
from docs.site.advice import advice
from docs.site.environment_pages import FAMILIES, plays
from docs.site.layout import ROOT
from docs.site.legal_values import legal
from docs.site.restructured import code, escaped, heading, table
from leaderboards import papers
from leaderboards.defaults import SUITE
from leaderboards.describe import docstrings
from leaderboards.rank.board import Board
from leaderboards.rank.standing import Interval
from leaderboards.report.cell_texts import amount_text
from leaderboards.report.remarks import SCOPE
from tools import publish


def pages(boards: Sequence[Board]) -> dict[str, str]:
    """The page of every agent, those of their families, and their index, by path.

    ``boards`` are all that are published, the default suite's first.
    """
    kinds = naming.named()
    found = {f"agents/{name}.rst": page(name, kind, boards) for name, kind in kinds.items()}
    families = _families(kinds)
    for family, names in families.items():
        found[f"agents/{family}-agents.rst"] = _family(family, names, kinds)
    found["agents/index.rst"] = _index(families)
    return found


def page(name: str, kind: type[Agent], boards: Sequence[Board]) -> str:
    """The page of one agent."""
    rows = [
        ("Source", escaped(kind.paper)),
        ("Plays", escaped(_plays(kind))),
        ("Environments", _where(kind)),
    ]
    if cost := docstrings.costs(kind):
        rows.append(("Cost of a round", escaped(cost)))
    if bounds := [f":py:func:`{one} <agents.parts.bounds.{one}>`" for one in _bounds(name)]:
        rows.append(("Bounds", ", ".join(bounds)))
    if found := _claims(name):
        rows.append(("Tested claims", "; ".join(f":doc:`/papers/{one}`" for one in found)))
    lines = [*heading(name, "="), escaped(docstrings.summary(kind)), ""]
    lines += [".. list-table::", "   :widths: 22 78", ""]
    for title, text in rows:
        lines += [f"   * - **{title}**", f"     - {text}"]
    lines += ["", *heading("When to use it"), *advice(name, boards), *_hyperparameters(kind)]
    lines += [*heading("On the board"), *_standings(name, kind, boards[0])]
    lines += [*heading("Rule, update, memory"), f".. autoclass:: agents.{name}", ""]
    lines += _definition(kind)
    return "\n".join(lines)


def _definition(kind: type[Agent]) -> list[str]:
    """The definition that tests compare the agent with; the agents of a library have none."""
    family, module = kind.__module__.split(".")[1:]
    path = f"tests/agents/definitions/{family}/{module}.py"
    if not (ROOT / path).exists():
        return []
    source = (ROOT / path).read_text(encoding="utf-8")
    return [
        *heading("Definition"),
        f"``{path}``, with which ``tests/agents/test_definitions.py`` compares state and decision,",
        "round by round. ``tests/agents/comparison.py`` says what ``choose`` and ``learn`` get.",
        "",
        *(".. code-block:: python", ""),
        *(f"   {line}".rstrip() for line in source.splitlines()),
        "",
    ]


def _plays(kind: type[Agent]) -> str:
    families = ", ".join(task.family for task in kind.accepts)
    return f"{families}: {kind.scope}" if kind.scope else families


def _where(kind: type[Agent]) -> str:
    """Links to the environments that it plays, with their default settings."""
    found = [f":doc:`/environments/{name}`" for name in ENVIRONMENTS if plays(kind, name)]
    return ", ".join(found) or "with settings that its docstring names"


@functools.cache
def _owners() -> dict[str, str]:
    """The agent that each bound of ``agents.bounds`` is about: its name begins with the agent's."""
    words = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): name for name in naming.named()}
    found = {}
    for bound in agents.bounds.__all__:
        begins = [one for one in words if f"{bound}_".startswith(f"{one}_")]
        if begins:
            found[bound] = words[max(begins, key=len)]
    return found


def _bounds(name: str) -> list[str]:
    return [bound for bound, agent in _owners().items() if agent == name]


@functools.cache
def _texts() -> dict[str, str]:
    folder = publish.FOLDER / "results/papers"
    return {
        name: json.dumps(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))
        for name in papers.NAMES
    }


def _claims(name: str) -> list[str]:
    """The papers whose tested claims name the agent."""
    return [paper for paper, text in _texts().items() if re.search(rf"\b{name}\b", text)]


def _hyperparameters(kind: type[Agent]) -> list[str]:
    fields = dataclasses.fields(kind)
    if not fields:
        return ["It has no hyperparameters.", ""]
    said, needs = docstrings.parameters(kind), naming.required(kind)
    rows = []
    for field in fields:
        type_of, meaning = said.get(field.name, ("", ""))
        if field.name in needs:
            default = "to be given"
        elif field.name in kind.from_task and field.default is None:
            default = "the task's"
        elif field.default_factory is not dataclasses.MISSING:
            default = code(field.default_factory())
        else:
            default = code(field.default)
        values = legal(field.name, kind, type_of)
        rows.append((f"``{field.name}``", default, escaped(values), escaped(meaning)))
    return [
        *heading("Hyperparameters"),
        *table(("name", "default", "legal values", "meaning"), rows, "14 14 26 46"),
    ]


def _standings(name: str, kind: type[Agent], board: Board) -> list[str]:
    """Its rows on the published board."""
    rows = [
        (section, standing)
        for section in board.sections
        for standing in section.standings
        if standing.label == name
    ]
    if not rows:
        why = "a command plays it only if it is named"
        return [f"It is not on the :doc:`published board </boards/{SUITE}>`: {why}.", ""]
    lines = table(
        ("ranking", "rank", "score [95 %]", "µs/round", "state"),
        (
            (
                escaped(section.name),
                _rank(standing.rank) if standing.rank else escaped(standing.unranked or "–"),
                _amount(standing.score),
                "–" if standing.microseconds is None else f"{standing.microseconds:.3g}",
                "–" if standing.bytes is None else f"{standing.bytes:,} B",
            )
            for section, standing in rows
        ),
    )
    lines += ["A score of 1 is no regret, or the result of the suite's reference; 0 is uniform "]
    lines[-1] += f"play on the same seeds. :doc:`/boards/{SUITE}` has all agents."
    lines += ["", f"Scores and ranks hold {SCOPE}. By task:", ""]
    return lines + table(
        ("task", "environment", "rank", "score [95 %]", "measure [95 %]"),
        (
            (
                escaped(task.name),
                f":doc:`/environments/{task.env}`" if task.env in ENVIRONMENTS else code(task.env),
                _rank(result.rank) if result.rank else "–",
                _amount(result.score),
                f"{escaped(task.measure.replace('_', ' '))} {_amount(result.measure)}",
            )
            for section, standing in rows
            for task in section.tasks
            if (result := standing.tasks[task.name]).measure is not None
        ),
    )


def _amount(found: Interval | None) -> str:
    return "–" if found is None else escaped(amount_text(found))


def _rank(rank: tuple[int, int]) -> str:
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]} to {rank[1]}"


def _families(kinds: Mapping[str, type[Agent]]) -> dict[str, list[str]]:
    """The agents by the first family that they play."""
    found = {family: [] for family in FAMILIES}
    for name, kind in kinds.items():
        found[kind.accepts[0].family].append(name)
    return {family: names for family, names in found.items() if names}


def _family(family: str, names: Sequence[str], kinds: Mapping[str, type[Agent]]) -> str:
    """The page of a family: its agents, and the tree of their pages."""
    lines = [*heading(FAMILIES[family], "="), f"{len(names)} agents.", ""]
    lines += table(
        ("agent", "what it does", "source"),
        (
            (
                f":doc:`{name} <{name}>`",
                escaped(docstrings.summary(kinds[name])),
                escaped(kinds[name].paper),
            )
            for name in names
        ),
        "22 48 30",
    )
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *(f"   {n}" for n in names), ""])


def _index(families: Mapping[str, Sequence[str]]) -> str:
    lines = heading("Agents", "=")
    lines += [f"{sum(map(len, families.values()))} algorithms, one page each. An agent that plays"]
    lines += ["several families is listed under its first. :doc:`/boards/index` compares them.", ""]
    for family, names in families.items():
        lines += heading(FAMILIES[family])
        lines += [f":doc:`What each one does <{family}-agents>`: "]
        lines += [", ".join(f":doc:`{name} <{name}>`" for name in names) + ".", ""]
    trees = [f"   {family}-agents" for family in families]
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *trees, ""])
