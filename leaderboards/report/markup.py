"""Markdown that says nothing but the text that it is given."""

import re
from collections.abc import Sequence

from banditgym.validation import visible

# A bare address is a link in GitHub's Markdown, at its "://", its "www." or its "@"; "@name" is one
# to a person, who may be told of it.
_LINKING = re.compile(r"://|(?<=\bwww)\.|@(?=[\w-])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no line breaks, nothing that it reads as markup."""
    text = _LINKING.sub(lambda found: f" {found[0]} ", visible(" ".join(text.split())))
    return re.sub(r"([\\`*_<>&|~\[\]#$])", r"\\\1", text)


def table(columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: columns by name, and whether they are of numbers; cells are escaped."""
    lines = [
        "| " + " | ".join(escaped(name) for name, _ in columns) + " |",
        "|" + "|".join("---:" if right else "---" for _, right in columns) + "|",
    ]
    return lines + ["| " + " | ".join(map(escaped, row)) + " |" for row in rows]
