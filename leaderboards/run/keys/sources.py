"""Keys of agents and environments: hashes of the code that results depend on.

The key of an agent is a hash of the syntax trees (`leaderboards.run.keys.syntax`) of all modules
that its class uses, directly or not, of the parts that its specification names, and of the loop.
The key of an environment covers the modules of its class in the same way, and the settings that its
id fixes. So a key does not change with docstrings, comments, annotations or texts of errors, nor
when a module moves or an import is renamed. A new agent does not change another agent's key.

Versions of `LIBRARIES` are part of a key only for agents that `leaderboards.portability` does not
play, because no corpus of bits checks their numbers. Rows of results always record the versions.

Third-party files are hashed as bytes, because their code may read its own text. The files are those
that the agent's class uses and that are in its package or beside its file; the libraries that these
use count by their versions. Imports by computed names are not found.
"""

import functools
import hashlib
import json
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from banditgym.files import class_paths
from banditgym.registration import ENVIRONMENTS
from leaderboards.run.keys import source_files
from leaderboards.run.keys.closure import Closure, closure
from leaderboards.run.keys.syntax import Source
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import of_file
from leaderboards.suites.suite import Suite, SuiteTask

LIBRARIES = ("numpy", "numba", "scipy")
# Agents that play only where they are named, and that the corpus of bits contains all the same.
_PLAYED_ON_REQUEST = ("EpsilonNGreedy", "GPBandit", "UCB1Tuned", "UCB2")
_EXACT = ("BestFixedAction",)  # a reference that only counts and compares
_OURS = ("banditgym", "agents", "leaderboards")
# These modules take no part in a round: names of agents, owners of classes, saved agents, and the
# cache of machine code. Only the names that are used from them count.
_ASIDE = (
    "agents.naming",
    "agents.ownership",
    "agents.storage.saving",
    "banditgym.compiled.cache",
    "banditgym.files.cache_folders",
)
# The loop, and the module that makes the curves of a row: names, since to import them is slow.
_LOOP = (
    "agents.play:play",
    "banditgym.vector_env:BanditVectorEnv",
    "banditgym.single:SingleBandit",
)
_CURVES = "leaderboards.run.outcomes"


@functools.cache
def _lists() -> dict[str, dict[str, str]]:
    """The lists of agents, name -> module. To import the agents would take seconds."""
    return tomllib.loads((class_paths.ROOT / "agents/names.toml").read_text(encoding="utf-8"))


@functools.cache
def _homes() -> dict[str, str]:
    """The place of every agent that is named by its class alone."""
    return {name: f"{at}:{name}" for members in _lists().values() for name, at in members.items()}


def _root(thing: type) -> str:
    return f"{thing.__module__}:{thing.__qualname__}"


def of_agent(spec: str) -> str:
    """Hash of the code that an agent's numbers depend on, besides the task: 16 hexadecimal digits.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"file.py:Class"`` or ``"module:Class"``, hyperparameters allowed. No
        third-party code is imported: a stored result may name any module.

    Raises
    ------
    OSError, ImportError, ValueError
        If there is no such file, no such module with a file, or no such agent of this package.
    """
    home = _homes().get(spec) or (spec if _is_place_of_ours(spec) else None)
    if home is not None:
        return _of_ours((home, *_LOOP), **_libraries(home))
    from agents import naming  # slow to import, and no default agent needs it

    parts = [_root(part) for part in naming.parts_of(spec)]
    if not class_paths.names_own(spec):
        return _of_others(spec, *parts, *_LOOP)
    home = _root(naming.find(spec.strip().partition("(")[0]))
    return _of_ours((home, *parts, *_LOOP), **_libraries(home))


def files_of_own(kind: type) -> list[Path]:
    """The sources that the numbers of one of this package's agents depend on."""
    return sorted(closure_of((_root(kind), *_LOOP)).files)


def closure_of(roots: tuple[str, ...]) -> Closure:
    """The modules of this project that roots, ``"module:name"``, use."""
    return closure(roots, _find, source_files.read, _is_aside)


def of_environment(task: SuiteTask) -> str:
    """Hash of the code that a task's rewards depend on, besides its settings: 16 hex digits.

    Raises
    ------
    OSError, ImportError
        If the environment's file or module no longer exists.
    """
    if task.env in ENVIRONMENTS:
        known = ENVIRONMENTS[task.env]
        return _of_ours((known.path, *_LOOP), **known.settings)
    if ":" not in task.env:  # an id that Gymnasium or an installed library registers
        return digest([task.env, _versions(["gymnasium"])])
    return _of_others(task.place, *_LOOP)


@functools.cache
def versions() -> dict[str, str]:
    """The installed versions of `LIBRARIES`."""
    return _versions(LIBRARIES)


def _is_place_of_ours(spec: str) -> bool:
    """Whether a text is ``module:Class``, a class that a module of this project defines."""
    place, name = class_paths.place_of(spec)
    path = _find(place) if spec == f"{place}:{name}" and class_paths.names_own(spec) else None
    return path is not None and name in source_files.read(path).defines


def _libraries(home: str) -> dict[str, str]:
    """The versions that the numbers of one of our agents depend on."""
    name = home.partition(":")[2]
    if name in (*_lists()["AGENTS"], *_PLAYED_ON_REQUEST, *_EXACT):
        return {}
    of_library = name in _lists()["LIBRARY_AGENTS"]
    return versions() | _versions(("stable-baselines3", "torch") if of_library else ())


def _of_ours(roots: tuple[str, ...], **more: Any) -> str:
    return _form_of_ours(roots, json.dumps(more, sort_keys=True))


@functools.cache
def _form_of_ours(roots: tuple[str, ...], more: str) -> str:
    return digest([closure_of(roots).form, _cell(), more])


def _of_others(place: str, *roots: str) -> str:
    where, name = class_paths.place_of(place)
    own = _Local(where)
    found = closure((f"{own.module}:{name}", *roots), own.find, own.read, _is_aside)
    return digest([found.form, _cell(), _versions_used(found)])


def of_files(files: Mapping[str, bytes], content: str) -> str:
    """The same for a third-party folder that was read into memory.

    Parameters
    ----------
    files : mapping of str to bytes
        By path within the folder.
    content : str
        A hash of all files.
    """
    codes = {Path(name): code for name, code in files.items() if name.endswith(".py")}

    def find(module: str) -> Path | None:
        place = Path(*module.split("."))
        inner = (place / "__init__.py", place.with_name(f"{place.name}.py"))
        return next((path for path in inner if path in codes), None) or _find(module)

    def read(path: Path) -> Source:
        if path not in codes:
            return source_files.read(path)
        return source_files.kept(codes[path], ".".join(path.parts[:-1]))

    modules = [".".join(path.with_suffix("").parts) for path in sorted(codes)]
    roots = [f"{module.removesuffix('.__init__')}:" for module in modules]
    found = closure((*roots, *_LOOP), find, read, _is_aside)
    return digest([found.form, content, _cell(), _versions_used(found)])


class _Local:
    """The modules beside a third-party file or in a third-party package."""

    def __init__(self, place: str):
        of_file = place.endswith(".py")
        self._file = Path(place if of_file else _source(place))
        self.module = self._file.stem if of_file else place
        depth = 0 if of_file else place.count(".") + (self._file.name == "__init__.py")
        self._folder = self._file.absolute().parents[depth]
        self._installed = any(
            self._folder.is_relative_to(sysconfig.get_path(name)) for name in ("purelib", "stdlib")
        )
        self._of_ours: set[Path] = set()

    def find(self, module: str) -> Path | None:
        if module == self.module:
            return self._file
        top = module.partition(".")[0]
        if (ours := _find(module)) is not None:
            self._of_ours.add(ours)
            return ours
        if self._installed and top != self.module.partition(".")[0]:
            return None
        return class_paths.file_of(module, self._folder)

    def read(self, path: Path) -> Source:
        if path in self._of_ours:
            return source_files.read(path)
        code = path.read_bytes()
        package = ".".join(path.absolute().relative_to(self._folder).parts[:-1])
        return replace(source_files.kept(code, package), form=hashlib.sha256(code).hexdigest())


@functools.cache
def _find(module: str) -> Path | None:
    """The file of a module of this project."""
    ours = module.partition(".")[0] in _OURS
    return class_paths.file_of(module, class_paths.ROOT) if ours else None


@functools.cache
def _is_aside(path: Path) -> bool:
    return path in map(_find, _ASIDE)


@functools.cache
def _cell() -> str:
    """The sources that make the curves of a row: the module itself, not the processes it starts."""
    path = _find(_CURVES)
    assert path is not None
    return source_files.read(path).form


def digest(data: object) -> str:
    """Hash of plain data: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _versions_used(found: Closure) -> dict[str, str]:
    used = {other.partition(".")[0] for other in found.others} - sys.stdlib_module_names
    return _versions({*LIBRARIES, *used})


def _versions(packages: Iterable[str]) -> dict[str, str]:
    return {name: _version(name) for name in sorted(packages)}


@functools.cache
def _version(package: str) -> str:
    """The version of a distribution, given by its name or the name of one of its modules."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        holders = metadata.packages_distributions().get(package)
        return metadata.version(holders[0]) if holders else "missing"


def _source(module: str) -> str:
    """The file of a module, found without importing its parent packages."""
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
    """Select, for every agent, the rows of one state of sources, environments and data.

    That is the current state if there are results for it, else the newest.

    Parameters
    ----------
    rows : iterable of Row
        Oldest first, of this suite.

    Returns
    -------
    rows : list of Row
        Rows on the suite's seeds, with labels that distinguish the agents.
    outdated : list of str
        Labels of the agents whose rows come from other sources than the current ones.
    """
    data = {task.name: {name: of_file(path) for name, path in task.files} for task in suite.tasks}
    wanted = {-1, *suite.seeds}
    here = {task.name: present(of_environment, task) for task in suite.tasks}
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        if row.seed in wanted and row.data == data.get(row.task):
            name = f"{row.spec} {sorted(row.hyperparameters.items())} {row.where}"
            groups.setdefault(name, {}).setdefault(row.sources, []).append(row)
    chosen, outdated = [], []
    for by_sources in groups.values():
        *_, newest = by_sources
        now = present(of_agent, by_sources[newest][0].spec)
        own = by_sources.get(now or "", by_sources[newest])
        shown = {row.task: row.environment for row in own}
        shown |= {row.task: here[row.task] for row in own if row.environment == here[row.task]}
        if own[0].sources != now or any(here[task] != state for task, state in shown.items()):
            outdated.append(own[0].agent)
        chosen += [row for row in own if row.environment == shown[row.task]]
    return _told_apart(chosen), outdated


def present(of: Callable[[Any], str], what: Any) -> str | None:
    """`of_agent` or `of_environment` of a thing; None if it no longer exists."""
    try:
        return of(what)
    except (OSError, ImportError, ValueError):  # the third-party file no longer exists
        return None


def _told_apart(rows: list[Row]) -> list[Row]:
    """Label agents that share a name but come from different files by their full specs."""
    specs: dict[str, set[str]] = {}
    for row in rows:
        specs.setdefault(row.agent, set()).add(row.spec)
    return [replace(row, agent=row.spec) if len(specs[row.agent]) > 1 else row for row in rows]
