"""Hashes of what decides a number beside the suite: source files and data files."""

import functools
import hashlib
import inspect
import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from agents import play
from agents.naming import find
from agents.parts.deep.library_agent import LibraryAgent
from banditgym.compiled import dependencies, source_hash
from leaderboards.ends import of_file
from leaderboards.store import Row
from leaderboards.suite import Suite

_ROOT = Path(__file__).parents[2]
# What takes no part in a round: no number of a row depends on it, beyond the agent and the
# hyperparameters that the row names itself. Checkers, and a wrapper that no suite has;
_ENVIRONMENTS_ASIDE = ("banditgym/check/", "banditgym/wrappers.py")
# names and what they stand for, whose code a class is, files of agents, checkers.
_AGENTS_ASIDE = (
    *("agents/__init__.py", "agents/naming.py", "agents/own.py", "agents/saving.py"),
    *("agents/legal.py", "agents/check/"),
)


def files_of_own(kind: type) -> list[str]:
    """The sources that the numbers of an agent of this package depend on, as paths within it.

    They are those of the environments, of the loop, and the agent's own with all that these import,
    directly or not; less what takes no part in a round. So another agent's file is not among them,
    unless it is imported.
    """
    loop, own = (dependencies(Path(inspect.getfile(part))) for part in (play, kind))
    environments = _names((_ROOT / "banditgym").rglob("*.py"), _ENVIRONMENTS_ASIDE)
    return sorted({*environments, *_names(loop | own, _AGENTS_ASIDE)})


def _names(paths: Iterable[Path], aside: tuple[str, ...]) -> list[str]:
    names = [path.relative_to(_ROOT).as_posix() for path in paths]
    return [name for name in names if not name.startswith(aside)]


@functools.cache
def _of_own(kind: type) -> str:
    digest = hashlib.sha256()
    for name in files_of_own(kind):
        digest.update(name.encode() + b"\0" + _digest(name))
    if issubclass(kind, LibraryAgent):
        for package in ("stable-baselines3", "torch"):
            digest.update(f"{package} {_version(package)}\0".encode())
    return digest.hexdigest()[:16]


@functools.cache
def _digest(name: str) -> bytes:
    return hashlib.sha256((_ROOT / name).read_bytes()).digest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # the agent says so when it is asked to play
        return "missing"


def of_agent(spec: str) -> str:
    """Hash of what an agent's numbers depend on: of sources, and of the libraries that compute.

    Of this package's agents see `files_of_own`. A third party's file may import anything: it counts
    with all sources of banditgym and agents.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"file.py:Class"`` or ``"module:Class"``, hyperparameters allowed. Files
        that a third party's file imports are not looked at, and nothing is imported: a stored
        result may name any module.

    Raises
    ------
    OSError, ImportError, ValueError
        If there is no such file, no such module with a file, or no such agent of this package.
    """
    place, colon, _ = spec.strip().partition("(")[0].rpartition(":")
    if not colon:
        return _of_own(find(spec.strip().partition("(")[0]))
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
    """Of every agent, the rows that belong together: one state of sources and data.

    That is the present one if there are results for it, and else the newest.

    Parameters
    ----------
    suite : Suite
    rows : iterable of Row
        Oldest first, of this suite.

    Returns
    -------
    rows : list of Row
        Those of the suite's seeds, under labels that tell the agents apart.
    outdated : list of str
        Labels of the agents whose rows come from other sources than the present ones.
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
        now = present(by_sources[newest][0].spec)
        if now in by_sources:
            newest = now
        else:
            outdated.append(by_sources[newest][0].agent)
        chosen += by_sources[newest]
    return _told_apart(chosen), outdated


def present(spec: str) -> str | None:
    """`of_agent`, or None where what a stored result names is gone."""
    try:
        return of_agent(spec)
    except (OSError, ImportError, ValueError):  # the third party's file is gone
        return None


def _told_apart(rows: list[Row]) -> list[Row]:
    """Two agents of one name, from two files, go by their full specifications."""
    specs: dict[str, set[str]] = {}
    for row in rows:
        specs.setdefault(row.agent, set()).add(row.spec)
    return [replace(row, agent=row.spec) if len(specs[row.agent]) > 1 else row for row in rows]
