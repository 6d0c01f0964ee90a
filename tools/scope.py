"""Checks that a pull request changes only one submission's folder, whose ledger only grows.

``python -m tools.scope BASE HEAD`` compares two checkouts and prints the submission's
name. It reads both as data and imports nothing from them.
"""

import hashlib
import os
import re
import sys
from pathlib import Path

from banditgym.validation import brief, visible
from leaderboards.submit.folder import LEDGER, RESULTS

PLACE = "leaderboards/submissions/"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SHOWN = 5


def submission_of(base: Path, head: Path) -> str:
    """The name of the one submission whose folder differs.

    Parameters
    ----------
    base, head : Path
        Checkouts of the target branch, without and with the change.

    Raises
    ------
    ValueError
        If something else differs, nothing does, or published lines or rows are changed.
    """
    before, after = _tree(base), _tree(head)
    changed = sorted({name for name, _ in before.items() ^ after.items()})
    outside = [name for name in changed if _submission(name) is None]
    if outside:
        raise ValueError(
            f"a submission changes nothing outside {PLACE}NAME/, and this changes {_some(outside)}"
        )
    names = {name for path in changed if (name := _submission(path)) is not None}
    if len(names) != 1:
        what = f"those of {_some(sorted(names))}" if names else "none"
        raise ValueError(f"a pull request changes one submission's folder, and this changes {what}")
    (name,) = names
    ledger = f"{PLACE}{name}/{LEDGER}"
    if "file" in before.get(ledger, ()) and not _grown(base / ledger, head / ledger):
        raise ValueError(f"{ledger} may only grow: its lines are neither changed nor dropped")
    rows = [path for path in changed if path.startswith(f"{PLACE}{name}/{RESULTS}/")]
    if altered := [path for path in rows if path in before]:
        raise ValueError(f"published rows do not change: {_some(altered)}; raise the version")
    return name


def main() -> None:
    """Print the submission's name, or one line on stderr and exit 1."""
    base, head = map(Path, sys.argv[1:3])
    try:
        print(submission_of(base, head))
    except ValueError as error:
        sys.exit(f"error: {visible(str(error))}")


def _tree(root: Path) -> dict[str, tuple[str, object]]:
    """What stands at every path below a folder.

    Empty folders are included: git has none, but a git submodule looks like one.
    """
    found: dict[str, tuple[str, object]] = {}
    for folder, folders, names in os.walk(root):
        inside = Path(folder).relative_to(root)
        if inside == Path("."):
            folders[:] = [name for name in folders if name != ".git"]
            names = [name for name in names if name != ".git"]
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        if not (folders or names) and inside != Path("."):
            found[inside.as_posix()] = ("folder", None)
        for name in [*names, *links]:
            found[(inside / name).as_posix()] = _contents(Path(folder) / name)
    return found


def _contents(path: Path) -> tuple[str, object]:
    if path.is_symlink():
        return "link", os.readlink(path)
    if not path.is_file():
        return "device", None
    return "file", (path.stat().st_mode & 0o111, hashlib.sha256(path.read_bytes()).digest())


def _submission(path: str) -> str | None:
    name, slash, rest = path.removeprefix(PLACE).partition("/")
    inside = path.startswith(PLACE) and slash and rest and _NAME.fullmatch(name)
    return name if inside else None


def _grown(old: Path, new: Path) -> bool:
    if new.is_symlink() or not new.is_file():
        return False
    return new.read_bytes().startswith(old.read_bytes())


def _some(names: list[str]) -> str:
    shown = ", ".join(brief(name) for name in names[:_SHOWN])
    return shown + (", .." if len(names) > _SHOWN else "")


if __name__ == "__main__":
    main()
