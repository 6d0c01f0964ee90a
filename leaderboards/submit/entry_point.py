"""The entry point of a submission: the class that it plays, and the file that defines it.

Its code is parsed and never run here.
"""

import ast
import re

from banditgym.validation import nearest
from leaderboards.submit.folder import MANIFEST, Folder
from leaderboards.submit.problems import Problem

LARGEST_CODE = 2**17  # bytes of the entry point's file: long f-strings take quadratic time to parse

_ENTRY = re.compile(
    r"(?:(?P<file>[A-Za-z0-9_][\w./+-]*\.py)|(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))"
    r":(?P<name>[A-Za-z_]\w*)",
    re.ASCII,
)


def form(text: str) -> str:
    """The text itself; a ValueError if it names no class within the folder."""
    match = _ENTRY.fullmatch(text)
    if match is None or {"", ".", ".."} & set((match["file"] or "x").split("/")):
        raise ValueError("must be file.py:Class or module:Class, within the folder")
    return text


def file_of(folder: Folder, entry: str) -> tuple[str, str]:
    """The file of an entry point, as a path within the folder, and the class's name."""
    match = _ENTRY.fullmatch(entry)
    assert match is not None
    if match["file"]:
        return match["file"], match["name"]
    stem = match["module"].replace(".", "/")
    package = f"{stem}/__init__.py"
    return (package if package in folder.files else f"{stem}.py"), match["name"]


def problems_of(folder: Folder, entry: object) -> list[Problem]:
    """The problems of an entry point of the right form that its source shows without running it."""
    if not (isinstance(entry, str) and _ENTRY.fullmatch(entry)):
        return []
    place, name = file_of(folder, entry)

    def refuse(what: str, remedy: str) -> list[Problem]:
        return [Problem(MANIFEST, "entry", what, remedy)]

    if place not in folder.files:
        files = [file for file in folder.files if file.endswith(".py")]
        hint = nearest(place, files).removeprefix("; ") or f"there are {', '.join(files) or 'none'}"
        return refuse(f"there is no file {place!r}", hint)
    if len(folder.files[place]) > LARGEST_CODE:
        what = f"{place} is larger than {LARGEST_CODE // 1024} KiB"
        return refuse(what, "move what is long to other files")
    try:
        tree = ast.parse(folder.files[place])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        return [Problem(f"{place}{where}", "", f"it is not valid Python: {reason}", "correct it")]
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if name in classes:
        return []
    # The class may also be imported from another file: only running the code shows whether it is.
    bound = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    if name in bound or "*" in bound:
        return []
    hint = nearest(name, classes).removeprefix("; ")
    there = f"there are {', '.join(classes)}" if classes else "there is none"
    return refuse(f"{place} has no class {name!r}", hint or there)
