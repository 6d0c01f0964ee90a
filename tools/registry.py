"""Writes the names of agents: ``agents/names.toml``, and their imports in ``agents/__init__.py``.

It finds the agents in the code: classes with a ``paper`` of their own.
"""

import importlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import agents
from agents.agent import Agent
from banditgym.files import whole_files

_ROOT = Path(__file__).parents[1]
NAMES, IMPORTS = _ROOT / "agents/names.toml", _ROOT / "agents/__init__.py"
_DECLARES = re.compile(r"^    paper: ClassVar = ", re.MULTILINE)
_BLOCK = re.compile(r"(?<=^if TYPE_CHECKING:\n)(    [^\n]+\n)*", re.MULTILINE)
_HEAD = "# Every agent and its module, in the order of tables; written by python -m tools.freeze.\n"

Kinds = Mapping[str, type[Agent]]  # classes of agents by name


def write() -> list[str] | None:
    """Write the names of this checkout again; returns the new ones, None if nothing changed."""
    changed = {p: text for p, text in written().items() if p.read_text(encoding="utf-8") != text}
    for path, text in changed.items():
        whole_files.write(path, text)
    listed = {*agents.AGENTS, *agents.ON_REQUEST, *agents.LIBRARY_AGENTS}
    return sorted(agents_found().keys() - listed) if changed else None


def written() -> dict[Path, str]:
    """The files with names of agents, and their contents."""
    kinds = agents_found()
    lists = ordered(tomllib.loads(NAMES.read_text(encoding="utf-8")), kinds)
    tables = (
        f"\n[{title}]\n" + "".join(f'{name} = "{kinds[name].__module__}"\n' for name in members)
        for title, members in lists.items()
    )
    imports = "".join(
        _import(module, f"{name} as {name}")
        for module, name in sorted((kind.__module__, name) for name, kind in kinds.items())
    )
    source = _BLOCK.sub(imports, IMPORTS.read_text(encoding="utf-8"), count=1)
    return {NAMES: _HEAD + "".join(tables), IMPORTS: source}


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


def ordered(listed: Mapping[str, Mapping[str, str]], kinds: Kinds) -> dict[str, list[str]]:
    """The names in each list: ``listed`` ones in their order, a new one after its folder's last."""
    lists = {}
    for title in ("AGENTS", "ON_REQUEST", "LIBRARY_AGENTS"):
        members = {name: _folder(kind) for name, kind in kinds.items() if _list_of(kind) == title}
        order = [name for name in listed.get(title, ()) if name in members]
        for name in sorted(members.keys() - set(order)):
            beside = [at for at, one in enumerate(order, 1) if members[one] == members[name]]
            order.insert(max(beside, default=len(order)), name)
        lists[title] = order
    return lists


def _import(module: str, name: str) -> str:
    line = f"    from {module} import {name}\n"
    return line if len(line) <= 101 else f"    from {module} import (\n        {name},\n    )\n"


def _list_of(kind: type[Agent]) -> str:
    if hasattr(kind, "library"):
        return "LIBRARY_AGENTS"
    return "ON_REQUEST" if kind.on_request else "AGENTS"


def _folder(kind: type[Agent]) -> str:
    return kind.__module__.rpartition(".")[0]
