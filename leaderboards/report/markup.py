"""Escapes text for Markdown."""

import itertools
import re
from collections.abc import Sequence

from banditgym.validation import visible

# GitHub's Markdown turns a bare address into a link, by its "://", its "www." or its "@"; "@name"
# links to a person and may notify that person.
_LINKING = re.compile(r"://|(?<=\bwww)\.|@(?=[\w-])")


def escaped(text: str) -> str:
    """Text that Markdown shows unchanged: without line breaks and with markup escaped."""
    text = _LINKING.sub(lambda found: f" {found[0]} ", visible(" ".join(text.split())))
    return re.sub(r"([\\`*_<>&|~\[\]#$])", r"\\\1", text)


def cell(text: object) -> str:
    """Markdown for a cell of a table."""
    return str(text).replace("|", "\\|")


def table(
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[str]],
    places: Sequence[str | None] = (),
) -> list[str]:
    """Lines of a table; columns are (name, whether it has numbers); all text is escaped.

    ``places`` has the ids of rows that links lead to, and None for the others.
    """
    lines = [
        "| " + " | ".join(escaped(name) for name, _ in columns) + " |",
        "|" + "|".join("---:" if right else "---" for _, right in columns) + "|",
    ]
    ids = ["" if place is None else f'<a id="{place}"></a>' for place in places]
    marked = itertools.zip_longest(ids, rows, fillvalue="")
    return lines + [f"| {mark}" + " | ".join(map(escaped, row)) + " |" for mark, row in marked]
