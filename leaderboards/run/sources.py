"""What decides a number beside the suite and the data: the keys of an agent and an environment.

The key of an agent is a hash of the syntax trees (`banditgym.syntax`) of all modules that its class
uses, directly or not, of the parts that its specification names, and of the loop. The key of an
environment covers the modules of its class likewise, and the settings that its id fixes. So no key
changes with a docstring, a comment, an annotation or the text of an error, with a module that moves
or an import that is renamed. A new agent is part of no other's key.

Versions of `LIBRARIES` are part of a key only where no corpus of bits watches over the numbers: for
agents that `leaderboards.portability` does not play. Rows record them in any case.

A third party's files count by their bytes, since their code may read its own text. They are those
that its class uses and that lie in its package or beside its file; the libraries that these use
count by their versions. An import by a name that is computed cannot be seen.
"""

import functools
import hashlib
import inspect
import json
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from agents import naming, play
from agents.parts.deep.library_agent import LibraryAgent
from banditgym import source_files
from banditgym.closure import Closure, closure
from banditgym.registration import ENVIRONMENTS
from banditgym.single import SingleBandit
from banditgym.syntax import Source
from banditgym.vector_env import BanditVectorEnv
from leaderboards.ends import of_file
from leaderboards.run.cell import play_warm
from leaderboards.store import Row
from leaderboards.suite import Suite, SuiteTask

LIBRARIES = ("numpy", "numba", "scipy")
_OURS = (*source_files.PACKAGES, "leaderboards")
# These take no part in a round: names and what they stand for, whose code a class is, files of
# agents, and where machine code lies. Of them only the names that are used count.
_ASIDE = ("agents.naming", "agents.own", "agents.saving", "banditgym.kernel_cache")


def _root(thing: Any) -> str:
    return f"{thing.__module__}:{thing.__qualname__}"


_LOOP = tuple(map(_root, (play, BanditVectorEnv, SingleBandit)))


def of_agent(spec: str) -> str:
    """Hash of what an agent's numbers depend on, beside the task: 16 hexadecimal digits.

    Parameters
    ----------
    spec : str
        ``"LinUCB"``, ``"file.py:Class"`` or ``"module:Class"``, hyperparameters allowed. No code of
        a third party is imported: a stored result may name any module.

    Raises
    ------
    OSError, ImportError, ValueError
        If there is no such file, no such module with a file, or no such agent of this package.
    """
    parts = [_root(part) for part in naming.parts_of(spec)]
    if not naming.names_own(spec):
        return _of_others(spec, *parts, *_LOOP)
    kind = naming.find(spec.strip().partition("(")[0])
    return _of_ours((_root(kind), *parts, *_LOOP), **_libraries(kind))


def files_of_own(kind: type) -> list[Path]:
    """The sources that the numbers of an agent of this package depend on."""
    return sorted(closure((_root(kind), *_LOOP), _find, source_files.read, _is_aside).files)


def of_environment(task: SuiteTask) -> str:
    """Hash of what the rewards of a task depend on, beside its settings: 16 hexadecimal digits.

    Raises
    ------
    OSError, ImportError
        If the environment's file or module is gone.
    """
    if task.env in ENVIRONMENTS:
        known = ENVIRONMENTS[task.env]
        return _of_ours((known.path, *_LOOP), **known.settings)
    if ":" not in task.env:  # an id that Gymnasium or an installed library registers
        return _digest([task.env, _versions(["gymnasium"])])
    return _of_others(task.place, *_LOOP)


@functools.cache
def versions() -> dict[str, str]:
    """The versions of `LIBRARIES` that compute here."""
    return _versions(LIBRARIES)


def _libraries(kind: type) -> dict[str, str]:
    """The versions that the numbers of an agent of ours depend on."""
    if kind.__name__ in (*naming.own_agents(), "GPBandit"):
        return {}
    more = ("stable-baselines3", "torch") if issubclass(kind, LibraryAgent) else ()
    return versions() | _versions(more)


def _of_ours(roots: tuple[str, ...], **more: Any) -> str:
    return _form_of_ours(roots, json.dumps(more, sort_keys=True))


@functools.cache
def _form_of_ours(roots: tuple[str, ...], more: str) -> str:
    return _digest([closure(roots, _find, source_files.read, _is_aside).form, _cell(), more])


def _of_others(place: str, *roots: str) -> str:
    where, name = naming.place_of(place)
    own = _Local(where)
    found = closure((f"{own.module}:{name}", *roots), own.find, own.read, _is_aside)
    return _digest([found.form, _cell(), _versions_used(found)])


def of_files(files: Mapping[str, bytes], content: str) -> str:
    """The same of a third party's folder that was read into memory.

    Parameters
    ----------
    files : mapping of str to bytes
        By path within the folder.
    content : str
        A hash of all of them.
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
    return _digest([found.form, content, _cell(), _versions_used(found)])


class _Local:
    """The modules that lie with a third party's file or module."""

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
        return source_files.file_of(module, self._folder)

    def read(self, path: Path) -> Source:
        if path in self._of_ours:
            return source_files.read(path)
        code = path.read_bytes()
        package = ".".join(path.absolute().relative_to(self._folder).parts[:-1])
        return replace(source_files.kept(code, package), form=hashlib.sha256(code).hexdigest())


@functools.cache
def _find(module: str) -> Path | None:
    """The file of a module of this project."""
    return (
        source_files.file_of(module, source_files.ROOT)
        if module.partition(".")[0] in _OURS
        else None
    )


def _is_aside(path: Path) -> bool:
    return path in map(_find, _ASIDE)


@functools.cache
def _cell() -> str:
    """What makes the curves of a row: the module alone, not the processes that it starts."""
    return source_files.read(Path(inspect.getfile(play_warm))).form


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]


def _versions_used(found: Closure) -> dict[str, str]:
    used = {other.partition(".")[0] for other in found.others} - sys.stdlib_module_names
    return _versions({*LIBRARIES, *used})


def _versions(packages: Iterable[str]) -> dict[str, str]:
    return {name: _version(name) for name in sorted(packages)}


@functools.cache
def _version(package: str) -> str:
    """The version of a distribution, or of the one that holds a module of that name."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        holders = metadata.packages_distributions().get(package)
        return metadata.version(holders[0]) if holders else "missing"


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
    """Of every agent, the rows that belong together: one state of sources, environments and data.

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
    here = {task.name: _environment(task) for task in suite.tasks}
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        if row.seed in wanted and row.data == data.get(row.task):
            name = f"{row.spec} {sorted(row.hyperparameters.items())} {row.where}"
            groups.setdefault(name, {}).setdefault(row.sources, []).append(row)
    chosen, outdated = [], []
    for by_sources in groups.values():
        *_, newest = by_sources
        now = present(by_sources[newest][0].spec)
        own = by_sources.get(now or "", by_sources[newest])
        shown = {row.task: row.environment for row in own}
        shown |= {row.task: here[row.task] for row in own if row.environment == here[row.task]}
        if own[0].sources != now or any(here[task] != state for task, state in shown.items()):
            outdated.append(own[0].agent)
        chosen += [row for row in own if row.environment == shown[row.task]]
    return _told_apart(chosen), outdated


def _environment(task: SuiteTask) -> str | None:
    """`of_environment`, or None where the environment is gone."""
    try:
        return of_environment(task)
    except (OSError, ImportError):
        return None


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
