"""Hashes of what decides a number beside the suite: source files and data files."""

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from banditgym.compiled import source_hash
from leaderboards.ends import of_file
from leaderboards.store import Row
from leaderboards.suite import Suite


def of_learner(spec: str) -> str:
    """Hash of banditgym's and agents' sources, and of the file of a third party's learner.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"file.py:Class"`` or ``"module:Class"``, hyperparameters allowed. Files
        that a third party's file imports are not looked at, and nothing is imported: a stored
        result may name any module.

    Raises
    ------
    OSError, ImportError
        If there is no such file, or no such module with a file.
    """
    place, colon, _ = spec.strip().partition("(")[0].rpartition(":")
    if not colon:
        return source_hash()
    if not place.endswith(".py"):
        place = _source(place)
    return hashlib.sha256(source_hash().encode() + Path(place).read_bytes()).hexdigest()[:16]


def _source(module: str) -> str:
    """The file of a module, found without the import of the packages that hold it."""
    parts = module.split(".")
    if not all(map(str.isidentifier, parts)):
        raise ModuleNotFoundError(f"{module!r} is not the name of a module")
    folders, origin = None, None
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        found = (finder.find_spec(name, folders) for finder in sys.meta_path)
        spec = next(filter(None, found), None)
        if spec is None:
            raise ModuleNotFoundError(f"no module named {name!r}")
        folders, origin = spec.submodule_search_locations, spec.origin
    if origin is None:
        raise ModuleNotFoundError(f"the module {module!r} has no file")
    return origin


def current(suite: Suite, rows: Iterable[Row]) -> tuple[list[Row], list[str]]:
    """Of every learner, the rows that belong together: one state of sources and data.

    That is the present one if there are results for it, and else the newest.

    Parameters
    ----------
    suite : Suite
    rows : iterable of Row
        Oldest first, of this suite.

    Returns
    -------
    rows : list of Row
        Those of the suite's seeds, under labels that tell the learners apart.
    outdated : list of str
        Labels of the learners whose rows come from other sources than the present ones.
    """
    data = {task.name: {name: of_file(path) for name, path in task.files} for task in suite.tasks}
    wanted = {-1, *suite.seeds}
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        if row.seed in wanted and row.data == data.get(row.task):
            name = f"{row.spec} {sorted(row.hyperparameters.items())} {row.where}"
            groups.setdefault(name, {}).setdefault(row.sources, []).append(row)
    chosen, outdated = [], []
    for by_sources in groups.values():
        *_, newest = by_sources
        present = _present(by_sources[newest][0].spec)
        if present in by_sources:
            newest = present
        else:
            outdated.append(by_sources[newest][0].agent)
        chosen += by_sources[newest]
    return _told_apart(chosen), outdated


def _present(spec: str) -> str | None:
    try:
        return of_learner(spec)
    except (OSError, ImportError, ValueError):  # the third party's file is gone
        return None


def _told_apart(rows: list[Row]) -> list[Row]:
    """Two learners of one name, from two files, go by their full specifications."""
    specs: dict[str, set[str]] = {}
    for row in rows:
        specs.setdefault(row.agent, set()).add(row.spec)
    return [replace(row, agent=row.spec) if len(specs[row.agent]) > 1 else row for row in rows]
