"""Machine code on disk: numba's own cache, in folders that are named by a hash of sources.

numba compiles a function again if its file has changed, but not if a function that it calls has,
in another file. So a folder is for one state of all sources: of banditgym and agents, and for a
third-party file also of itself and of all files that it imports.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import os
import site
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache

from banditgym.files.cache_folders import (
    APART,
    NAMED,
    READ_ONLY,
    cache_folder,
    owner,
    read_only_caches,
)

PACKAGES = ("banditgym", "agents")
_ROOT = Path(__file__).parents[2]
_LIBRARIES = tuple(
    f"{folder}{os.sep}"
    for folder in (
        *(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")),
        site.getusersitepackages(),
    )
)
_kept: "weakref.WeakSet[Any]" = weakref.WeakSet()  # this process's kernels


def keep(kernel: Any) -> None:
    """Keep a kernel's machine code on disk, if its source can be read there: not from a prompt."""
    if Path(kernel.py_func.__code__.co_filename).is_file():
        _kept.add(kernel)
        _place(kernel)


def keep_apart(name: str) -> None:
    """From now on, save this process's machine code only for processes of the same owner.

    Machine code is looked up by a function's sources, but compiled from the current values of its
    names, which third-party code may have changed. So a process that runs third-party code must not
    save machine code that others load. It still loads the machine code that is there for all.

    Parameters
    ----------
    name : str
        The owner of the code that runs here, as part of a folder's name.
    """
    os.environ[APART] = name
    _place_all()


@contextlib.contextmanager
def fresh_caches() -> Iterator[None]:
    """Context manager: all machine code is compiled anew, in a folder that is deleted at the end.

    The cache holds pickles, and to load a pickle executes it. Code that ran with this user's rights
    may have changed them, so a process that judges such code loads none of them. It must not have
    called a kernel before.
    """
    before = {name: os.environ.pop(name, None) for name in (APART, NAMED, READ_ONLY)}
    where = tempfile.TemporaryDirectory(prefix="banditgym-", ignore_cleanup_errors=True)
    with where as os.environ[NAMED]:
        try:
            _place_all()
            yield
        finally:
            del os.environ[NAMED]
            os.environ.update({name: value for name, value in before.items() if value is not None})
            _place_all()


def shared_cache() -> Path:
    """The folder of all compiled code; a process may get to read it, to compile less."""
    return cache_folder(source_hash()).parent


@functools.cache
def source_hash(packages: tuple[str, ...] = PACKAGES) -> str:
    """Hash of every Python source of some of our packages: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((_ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(_ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _place_all() -> None:
    for kernel in list(_kept):
        _place(kernel)


def _place(kernel: Any) -> None:
    """Tell numba the folder of a kernel's machine code, which depends on the environment.

    Nothing is kept if a source cannot be read: it is in an archive, or was deleted.
    """
    try:
        name = _hash(kernel.py_func)
    except OSError:
        kernel._cache = NullCache()
        return
    file = Path(kernel.py_func.__code__.co_filename)
    ours = _is_in(str(file), PACKAGES)
    place = file.parent.relative_to(_ROOT) if ours else Path(file.parent.name)
    own = cache_folder(name if owner() is None else f"{name}-{owner()}") / place
    config: Any = numba.config  # pyright: ignore[reportPrivateImportUsage]
    before, config.CACHE_DIR = config.CACHE_DIR, str(own)
    try:
        kernel.enable_caching()
    finally:
        config.CACHE_DIR = before
    read = [folder / f"compiled-{name}" / place for folder in read_only_caches()]
    if owner() is not None:
        read.append(cache_folder(name) / place)
    _link(Path(kernel.stats.cache_path), *read)


@functools.cache
def _link(own: Path, *read: Path) -> None:
    """Begin a folder with links to the machine code in others; numba replaces a link as it writes.

    numba appends the name of the source's folder, which may differ there: hence the ``*``.
    """
    for index in (index for folder in read for index in folder.glob("*/*.nbi")):
        if not (own / index.name).exists():
            for file in index.parent.glob(f"{index.stem}.*"):
                with contextlib.suppress(OSError):  # a system without links: it compiles
                    (own / file.name).symlink_to(file)


def _hash(function: Callable) -> str:
    """The key of a function's machine code: 16 hexadecimal digits."""
    file, digest = function.__code__.co_filename, hashlib.sha256(numba.__version__.encode())
    used = ("banditgym",) if _is_in(file, ("banditgym",)) else PACKAGES
    digest.update(source_hash(used).encode())
    package = function.__globals__.get("__package__") or ""
    found = _sources(file, package, function.__module__.partition(".")[0], {})
    digest.update(repr(sorted(found.items())).encode())
    return digest.hexdigest()[:16]


def _sources(file: str, package: str, top: str, found: dict[str, bytes]) -> dict[str, bytes]:
    """The texts of a file and of all that it imports, directly or not, but for ours.

    Libraries' files that it imports count, and are not looked into, but for its own package.
    """
    if file in found or not file.endswith(".py") or _is_in(file, PACKAGES):
        return found
    found[file] = code = Path(file).read_bytes()
    if not file.startswith(_LIBRARIES) or package.partition(".")[0] == top:
        for module in (sys.modules.get(name) for name in _imported(code, package)):
            place = getattr(module, "__file__", None) or ""
            _sources(place, getattr(module, "__package__", None) or "", top, found)
    return found


@functools.cache
def _imported(code: bytes, package: str) -> list[str]:
    """The names that may be modules among what a source imports."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            with contextlib.suppress(ImportError):  # relative, outside of a package
                base = importlib.util.resolve_name(base, package)
                found += [f"{base}.{alias.name}" for alias in node.names]
    parts = {name: name.split(".") for name in found}
    return [part for name in found for part in accumulate(parts[name], "{}.{}".format)]


def _is_in(file: str, packages: tuple[str, ...]) -> bool:
    return file.startswith(tuple(f"{_ROOT / package}{os.sep}" for package in packages))
