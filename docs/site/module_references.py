"""Writes out references that a docstring names by number, and its module's docstring holds.

A page shows functions of several modules, so that numbers of a module would mean nothing there.
"""

import inspect
import re
import sys
from collections.abc import MutableSequence
from typing import Any

_NUMBERED = re.compile(r"\[(\d+)\]_")
_ENTRY = re.compile(r"^\.\. \[(\d+)\] (.*(?:\n[ \t]+.*)*)", re.MULTILINE)


def written_out(lines: list[str], module_text: str) -> list[str]:
    """The lines of a docstring, with the module's references in the places of their numbers."""
    text = "\n".join(lines)
    here = {number for number, _ in _ENTRY.findall(text)}
    known = {
        number: " ".join(entry.split()).rstrip(".") for number, entry in _ENTRY.findall(module_text)
    }

    def changed(match: re.Match) -> str:
        number = match[1]
        if number in here or number not in known:
            return match[0]
        begins_line = match.start() == 0 or text[: match.start()].rstrip(" ").endswith("\n")
        return known[number] if begins_line else f"({known[number]})"

    return _NUMBERED.sub(changed, text).split("\n")


def process(
    app: Any, what: str, name: str, thing: object, options: Any, lines: MutableSequence[str]
) -> None:
    """Sphinx's event ``autodoc-process-docstring``."""
    module = sys.modules.get(getattr(inspect.unwrap(thing), "__module__", None) or "")  # type: ignore[arg-type]
    if what != "module" and module is not None:
        lines[:] = written_out(list(lines), module.__doc__ or "")


def setup(app: Any) -> dict[str, bool]:
    """Connect, before numpydoc gives the docstring its form."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=100)
    return {"parallel_read_safe": True}
