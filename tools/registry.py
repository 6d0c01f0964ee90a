"""Generates the names in ``agents/__init__.py`` from the code.

``python -m tools.registry`` writes them. An agent declares itself by a ``paper`` of its own.
"""

import importlib
import re
from collections.abc import Mapping
from pathlib import Path

from agents.agent import Agent
from banditgym.files import whole_files
from leaderboards.agent_names import LISTS, SOURCE, assigned, literal

_ROOT = Path(__file__).parents[1]
_DECLARES = re.compile(r"^    paper: ClassVar = ", re.MULTILINE)

Kinds = Mapping[str, type[Agent]]  # classes of agents by name


def main() -> None:
    """Generate the lists of this checkout again."""
    for path, text in written().items():
        whole_files.write(path, text)


def written() -> dict[Path, str]:
    """The files with generated lists, and their contents."""
    source = SOURCE.read_text(encoding="utf-8")
    return {SOURCE: names_module(source, agents_found())}


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
