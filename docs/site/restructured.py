"""Pieces of reStructuredText for generated pages."""

import re
from collections.abc import Iterable, Sequence

from banditgym.validation import brief

_SPECIAL = re.compile(r"([\\*`|]|_(?!\w)|(?<!\w)_)")


def escaped(text: str) -> str:
    """Plain text, none of whose characters mean anything to reStructuredText."""
    return _SPECIAL.sub(r"\\\1", text)


def heading(text: str, mark: str = "-") -> list[str]:
    """A heading and the line below it."""
    return [text, mark * len(text), ""]


def code(value: object) -> str:
    """A value as code, on one line."""
    return f"``{brief(value, 60)}``"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], widths: str = "auto") -> list[str]:
    """A table; cells are reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [header, *rows]:
        for place, cell in enumerate(row):
            lines.append(f"   {'* -' if place == 0 else '  -'} {cell}".rstrip())
    return [*lines, ""]
