"""Generates lists from the code: the names in ``agents``, and the tables of ``README.md``.

``python -m leaderboards.registry`` writes them. An agent declares itself by a ``paper`` of its own,
an environment by its row in ``banditgym/registration.py``, a suite by its file, and a paper by its
folder in ``leaderboards/papers/``.
"""

import importlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from agents.agent import Agent
from banditgym import whole_files
from banditgym.registration import ENVIRONMENTS
from leaderboards import papers, suite
from leaderboards.agent_names import LISTS, SOURCE, assigned, literal
from leaderboards.describe.docstrings import summary

_ROOT = Path(__file__).parents[1]
_DECLARES = re.compile(r"^    paper: ClassVar = ", re.MULTILINE)

Kinds = Mapping[str, type[Agent]]  # classes of agents by name


def main() -> None:
    """Generate the lists of this checkout again."""
    for path, text in written().items():
        whole_files.write(path, text)


def written() -> dict[Path, str]:
    """The files with generated lists, and their contents."""
    readme = _ROOT / "README.md"
    source, kinds = SOURCE.read_text(encoding="utf-8"), agents_found()
    drawn = tables(lists_of(source, kinds), kinds)
    return {
        SOURCE: names_module(source, kinds),
        readme: with_tables(readme.read_text(encoding="utf-8"), drawn),
    }


def agents_found() -> dict[str, type[Agent]]:
    """The class of every agent in the modules of ``agents``, by name, even if not listed."""
    kinds: dict[str, type[Agent]] = {}
    for path in sorted((_ROOT / "agents").rglob("*.py")):
        if _DECLARES.search(path.read_text(encoding="utf-8")):
            name = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, type) and value.__module__ == name and "paper" in vars(value):
                    kinds[value.__name__] = value
    return kinds


def lists_of(source: str, kinds: Kinds) -> dict[str, list[str]]:
    """The lists of ``agents/__init__.py``, which has this source, with these agents.

    Agents that are listed keep their order; a new one follows the last one of its folder.
    """
    lists = {}
    for name in LISTS:
        members = {agent: kind for agent, kind in kinds.items() if _list_of(kind) == name}
        order = [agent for agent in literal(source, name) if agent in members]
        for agent in sorted(members.keys() - set(order)):
            folder = _folder(members[agent])
            beside = [at for at, one in enumerate(order, 1) if _folder(members[one]) == folder]
            order.insert(max(beside, default=len(order)), agent)
        lists[name] = order
    return lists


def names_module(source: str, kinds: Kinds) -> str:
    """The source of ``agents/__init__.py`` that imports and lists these agents."""
    lists = lists_of(source, kinds)
    gone = {agent for name in LISTS for agent in literal(source, name)} - set(kinds)
    public = {*literal(source, "__all__"), *LISTS, *kinds} - gone
    for name, members in lists.items():
        source = _with_list(source, name, members, "()")
    source = _with_list(source, "__all__", sorted(public, key=_rank), "[]")
    return _with_imports(source, {(kind.__module__, agent) for agent, kind in kinds.items()})


def tables(lists: Mapping[str, list[str]], kinds: Kinds) -> dict[str, str]:
    """README's tables, by name: environments, agents of each list, suites, papers."""
    return {
        "environments": table(
            ("id", "observation", "action", "what it is"),
            (
                (f"`{name}`", env.observation, env.action, env.description)
                for name, env in ENVIRONMENTS.items()
            ),
        ),
        **{
            name: table(
                ("agent", "plays", "what it does", "source"),
                (_row_of_agent(agent, kinds[agent]) for agent in members),
            )
            for name, members in lists.items()
        },
        "suites": table(
            ("suite", "tasks"),
            ((f"`{name}`", suite.load(name).title) for name in suite.available()),
        ),
        "papers": table(
            ("what was found", "paper"),
            (
                (f"[{name}](leaderboards/results/papers/{name}.md)", papers.load(name).reference)
                for name in papers.NAMES
            ),
        ),
    }


def _row_of_agent(name: str, kind: type[Agent]) -> tuple[str, ...]:
    plays = ", ".join(task.family for task in kind.accepts)
    return f"`{name}`", f"{plays}: {kind.scope}" if kind.scope else plays, summary(kind), kind.paper


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    cells = ((cell.replace("|", r"\|") for cell in row) for row in rows)
    lines = [header, ("---",) * len(header), *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_tables(page: str, drawn: Mapping[str, str]) -> str:
    """A page with its tables generated again: each is between two comments; the first names it.

    Raises
    ------
    ValueError
        If the page has no place for a table, or several.
    """
    for name, text in drawn.items():
        pattern = rf"(<!-- table of {name}: [^\n]*-->\n).*?(<!-- end of table -->)"
        places = list(re.finditer(pattern, page, re.DOTALL))
        if len(places) != 1:
            raise ValueError(f"the page needs one place for the table of {name}, not {len(places)}")
        (place,) = places
        page = page[: place.end(1)] + text + page[place.start(2) :]
    return page


def _list_of(kind: type[Agent]) -> str:
    if hasattr(kind, "library"):
        return "LIBRARY_AGENTS"
    return "ON_REQUEST" if kind.on_request else "AGENTS"


def _folder(kind: type[Agent]) -> str:
    return kind.__module__.rpartition(".")[0]


def _rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order of ruff."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def _with_list(source: str, name: str, members: list[str], brackets: str) -> str:
    """A source with other members in one of its lists, one per line."""
    node, lines = assigned(source, name), source.splitlines()
    written = [f'    "{member}",' for member in members]
    lines[node.lineno - 1 : node.end_lineno] = [f"{name} = {brackets[0]}", *written, brackets[1]]
    return "\n".join(lines) + "\n"


def _with_imports(source: str, needed: set[tuple[str, str]]) -> str:
    """A source whose block of imports also has these names, given as (module, name)."""
    block = re.search(r"(from agents\.\S+ import [^\n]+\n)+", source)
    assert block is not None
    for module, names in re.findall(r"from (\S+) import ([^\n]+)\n", block[0]):
        needed |= {(module, name) for name in names.split(", ")}
    modules: dict[str, set[str]] = {}
    for module, name in needed:
        modules.setdefault(module, set()).add(name)
    lines = [
        f"from {module} import {', '.join(sorted(modules[module], key=_rank))}\n"
        for module in sorted(modules)
    ]
    return source[: block.start()] + "".join(lines) + source[block.end() :]


if __name__ == "__main__":
    main()
