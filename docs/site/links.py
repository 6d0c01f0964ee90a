"""Rewrites the links of a page, which are relative in the repository, for its place on the site.

A link to a page leads to the page of the site. A link to another file of the repository leads to a
copy of it, so that the site needs no other address. Links within code are left alone.
"""

import posixpath
import re
from collections.abc import Callable

from docs.site.layout import ROOT, page_of

_CODE = re.compile(r"(^ *```.*?^ *```[^\S\n]*$|``.*?``|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
# Possessive, so that tables full of brackets take no time.
_LINK = re.compile(r"(!?)\[((?:[^\[\]\\\n]|\\.|\n(?!\n)|\[[^\[\]\n]*+\])*+)\]\(([^()\s]+)\)")
_OUTSIDE = ("http://", "https://", "mailto:", "#")
COPIES = "files"  # the folder of the site for files that are no pages


def rewritten(text: str, file: str, page: str, copy: Callable[[str], None]) -> str:
    """The text of a page with its links changed.

    Parameters
    ----------
    text : str
        Markdown.
    file : str
        Its path in the repository, from the root.
    page : str
        Its place on the site, without a suffix.
    copy : callable
        Called with the path of every file that a link needs beside the pages.

    Raises
    ------
    ValueError
        If a link leads to nothing.
    """

    def changed(match: re.Match) -> str:
        image, label, target = match.groups()
        if target.startswith(_OUTSIDE):
            return match[0]
        target, mark, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        other = page_of(wanted)
        if other is not None:
            suffix = ".rst" if wanted.endswith(".py") else ".md"  # tutorials are made of programs
            return f"[{label}]({_from(page, other)}{suffix}{mark}{anchor})"
        if (ROOT / wanted).is_dir():
            return label  # folders have no page
        if not (ROOT / wanted).is_file():
            raise ValueError(f"{file} links to {target}, and there is no {wanted}")
        copy(wanted)
        return f"{image}[{label}]({_from(page, f'{COPIES}/{wanted}')})"

    parts = _CODE.split(text)
    # A label may hold code, so that links are found in the text without its blocks alone.
    kept: list[str] = []
    for place, part in enumerate(parts):
        if place % 2:
            kept.append(part)
            parts[place] = f"\0{len(kept) - 1}\0"
    text = _LINK.sub(changed, "".join(parts))
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], text)


def _from(page: str, other: str) -> str:
    return posixpath.relpath(other, posixpath.dirname(page) or ".")
