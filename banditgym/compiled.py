"""The one decorator for compiled code: numba, cached on disk under a hash of what it was made of.

Kernels are compiled with ``error_model="numpy"`` (a division that may raise stops vectorisation)
and without fast-math or contraction, so that a number does not depend on the loop around it.
"""

import contextlib
import functools
import hashlib
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

_SESSION = secrets.token_hex(8)  # unlike a process's number, never used again
_PACKAGES = ("banditgym", "agents")
_OURS = rf"(?:{'|'.join(_PACKAGES)})\b[\w.]*"
_APART = "BANDITGYM_COMPILED_APART"  # of the environment, so that a process's own ones keep to it
_STALE_AFTER = 7 * 24 * 3600.0  # seconds after which the cache of other sources is deleted


def compiled(function: Callable) -> Any:
    """Compile ``function`` with numba at its first call, and keep the machine code on disk.

    numba's own disk cache is stale when a *called* function of another file changed: it looks at
    the caller's file alone. Here the cache is keyed by the function's own file and all files of
    banditgym and agents that it imports, directly or not, so that an edit compiles anew just what
    may depend on it. Third-party kernels may call ours.
    """
    dispatcher = _translated(function)
    dispatcher._cache = _Cache(function)
    return dispatcher


def inlined(function: Callable) -> Any:
    """Compile a part that only compiled code calls, into each of its callers.

    A call between kernels costs some ten nanoseconds, most of them for counting references to the
    arrays handed over, and stops the vectorisation of the loop around it.
    """
    return _translated(function, forceinline=True)


def _translated(function: Callable, **options: Any) -> Any:
    dispatcher: Any = numba.njit(error_model="numpy", **options)(function)
    of_types = dispatcher.get_call_template

    def of_plain_types(args, kws):
        # numba compiles f(x, 0) apart from f(x, i), for the type "the integer 0".
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return of_types(tuple(map(types.unliteral, args)), plain)

    dispatcher.get_call_template = of_plain_types
    return dispatcher


def keep_apart(owner: str) -> None:
    """From now on keep what this process compiles for processes of the same owner alone.

    Machine code is found again by the sources of a function, and made of what its names stand for
    as it is compiled. Code of others may have changed that: a process that runs some must not save
    machine code that anybody else loads. What is there for all it loads as before.

    Parameters
    ----------
    owner : str
        Whose code runs here, as part of a folder's name.
    """
    os.environ[_APART] = owner


@functools.cache
def source_hash() -> str:
    """Hash of every Python source of banditgym and agents: 16 hexadecimal digits."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((here.parent / package).rglob("*.py")):
            digest.update(str(path.relative_to(here.parent)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def dependencies(file: Path) -> frozenset[Path]:
    """A source of banditgym or agents and all others of theirs that it imports, directly or not.

    Imports count wherever they stand in a file. A name that the ``__init__`` of a package only
    hands on counts as imported from where it is defined: its other modules do not matter.
    """
    found, new = set(), {file}
    while new:
        found |= new
        new = {origin for source in new for origin in _imports(source).values()} - found
    return frozenset(found)


@functools.cache
def _imports(file: Path) -> dict[str, Path]:
    """The names that a source imports of ours, and the files that define them."""
    # By patterns: a syntax tree of every file would cost a process half a second.
    text = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
    found = {name: _module(name) for name in re.findall(rf"^\s*import ({_OURS})", text, re.M)}
    names = rf"^\s*from ({_OURS}) import (\([^)]*\)|.*)"
    for module, imported in re.findall(names, text, re.M):
        for name, alias in re.findall(r"(\w+)(?: as (\w+))?", imported):
            origin = _module(f"{module}.{name}") or _module(module)
            if origin is not None and origin.name == "__init__.py" and origin != file:
                origin = _imports(origin).get(name, origin)
            found[alias or name] = origin
    return {name: origin for name, origin in found.items() if origin is not None}


def _module(name: str) -> Path | None:
    """The file of a module of ours."""
    place = Path(__file__).parents[1].joinpath(*name.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


@functools.cache
def _code_hash(file: str) -> str:
    """What machine code of a file's functions is kept under: 16 hexadecimal digits.

    Of a source of ours it covers what the file imports of ours; of anybody else's, which may import
    in other ways, all our sources.
    """
    digest = hashlib.sha256()
    ours = not Path(_place(file)).is_absolute()
    try:
        for path in sorted(dependencies(Path(file)) if ours else {Path(file)}):
            digest.update(_place(path).encode() + b"\0" + path.read_bytes())
    except OSError:  # a function typed at a prompt has no file: it is kept for this process alone
        return _SESSION
    digest.update(b"" if ours else source_hash().encode())
    return digest.hexdigest()[:16]


def _place(file: str | Path) -> str:
    """A source's path: of ours within this copy, so that copies with equal sources share code."""
    try:
        within = Path(file).relative_to(Path(__file__).parents[1])
    except ValueError:
        return str(file)
    return within.as_posix() if within.parts[0] in _PACKAGES else str(file)


@functools.cache
def cache_folder(sources: str) -> Path:
    """Where machine code of the sources with this hash lies; a temporary folder if need be."""
    user = os.getuid() if os.name == "posix" else 0
    temporary = Path(tempfile.gettempdir()) / f"banditgym-{user}"
    for base in (*_chosen_base(), temporary):
        folder = base / f"compiled-{sources}"
        try:
            fresh = not folder.exists()
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            # What lies here is run: what somebody else laid in a shared place is not ours.
            if base == temporary and os.name == "posix" and base.stat().st_uid != os.getuid():
                continue
            folder.mkdir(exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()  # a read-only home shows here
        except OSError:
            continue
        if fresh:
            for other in base.glob("compiled-*"):
                if time.time() - other.stat().st_mtime > _STALE_AFTER:
                    shutil.rmtree(other, ignore_errors=True)
        return folder
    raise OSError(f"no folder for compiled code can be written, {temporary} neither")


def _chosen_base() -> list[Path]:
    """Where this user wants compiled code: nowhere if the user has no home and names no place."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named)]
    if named := os.environ.get("XDG_CACHE_HOME"):
        return [Path(named) / "banditgym"]
    try:
        return [Path.home() / ".cache" / "banditgym"]
    except RuntimeError:  # a user without a home directory, as in some containers
        return []


def shared_caches() -> list[Path]:
    """Folders of compiled code that a process may be given to read: it needs none compiled here."""
    first = cache_folder(source_hash()).parent
    return [first, *_read_only_caches()]


def _read_only_caches() -> list[Path]:
    """Folders of compiled code that is read, and never written, before this process's own."""
    named = os.environ.get("BANDITGYM_KERNELS", "")
    return [Path(path) for path in named.split(os.pathsep) if path]


class _Locator:
    """Tells numba where a function's machine code lies and which sources it belongs to."""

    def __init__(self, file: str):
        self._file = file

    @classmethod
    def from_function(cls, function: Callable, file: str) -> "_Locator":
        return cls(file)

    def get_cache_path(self) -> str:
        return str(cache_folder(_code_hash(self._file)))

    def ensure_cache_path(self) -> None:
        cache_folder(_code_hash(self._file))

    def get_source_stamp(self) -> str:
        return _code_hash(self._file)

    def get_disambiguator(self) -> str:
        return hashlib.sha256(_place(self._file).encode()).hexdigest()[:10]


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):
    _impl_class = _CacheImpl

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._read_only(sig, target_context)
        if found is None:
            found = super()._load_overload(sig, target_context)
        if found is None and os.environ.get(_APART):
            with self._apart():
                found = super()._load_overload(sig, target_context)
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        with self._apart():
            super()._save_overload(sig, data)

    @contextlib.contextmanager
    def _apart(self) -> Iterator[None]:
        """Look in the folder of this process's owner alone, if it has one."""
        shared, owner = self._cache_file, os.environ.get(_APART)
        if owner:
            stamp = self._impl.locator.get_source_stamp()
            folder = str(cache_folder(f"{stamp}-{owner}"))
            self._cache_file = IndexDataCacheFile(folder, self._impl.filename_base, stamp)
        try:
            yield
        finally:
            self._cache_file = shared

    def _read_only(self, sig: Any, target_context: Any) -> Any:
        """What somebody else compiled for this process, if it was given any to read."""
        for base in _read_only_caches():
            stamp = self._impl.locator.get_source_stamp()
            folder = str(base / Path(self._cache_path).name)
            shared = IndexDataCacheFile(folder, self._impl.filename_base, stamp)
            data = shared.load(self._index_key(sig, target_context.codegen()))
            if data is not None:
                return self._impl.rebuild(target_context, data)
        return None
