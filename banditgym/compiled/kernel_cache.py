"""numba's cache of machine code on disk, keyed by all sources that a kernel depends on.

numba's own cache is stale when a *called* function in another file changes, because its key is the
caller's file alone.
"""

import contextlib
import functools
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from banditgym.compiled.caches import cache_folder, owner, read_only_caches
from banditgym.compiled.closure import closure
from banditgym.compiled.source_files import PACKAGES, ROOT, find, read, source_hash
from banditgym.compiled.turns import turn

_SESSION = secrets.token_hex(8)  # unlike a process's number, never used again


@functools.cache
def _code_hash(file: str) -> str:
    """The key of the machine code of a file's functions: 16 hexadecimal digits.

    For a source of ours it covers all our code that the file uses, with the texts of errors, which
    kernels raise, and the paths of the files, because machine code names the modules of its
    constants. For a third-party source, which may import in other ways, it covers all our sources.
    """
    place = _place(file)
    try:
        if place == file:
            parts = [place, Path(file).read_text(encoding="utf-8"), source_hash()]
        else:
            module = ".".join(Path(place).with_suffix("").parts).removesuffix(".__init__")
            used = closure([f"{module}:"], find, read, Path(__file__).__eq__)
            parts = [
                used.form,
                *((_place(path), read(path).texts) for path in used.files),
            ]
    except (OSError, UnicodeDecodeError):  # typed at a prompt: it is kept for this process alone
        return _SESSION
    text = json.dumps([numba.__version__, *parts])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _place(file: str | Path) -> str:
    """A source's path: of ours within this copy, so that copies with equal sources share code."""
    try:
        within = Path(file).relative_to(ROOT)
    except ValueError:
        return str(file)
    return within.as_posix() if within.parts[0] in PACKAGES else str(file)


class _Locator:
    """Tells numba the folder of a function's machine code, and the hash of its sources."""

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


def _fields_in(kinds: Any) -> Iterator[tuple[str, ...]]:
    """The fields of the named tuples among the types of a kernel's arguments."""
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield getattr(kind, "fields", ())
            yield from _fields_in(kind)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class Cache(FunctionCache):
    """The cache of one function's machine code, as numba uses it."""

    _impl_class = _CacheImpl

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # Machine code finds a field of a named tuple by its place, which numba's key leaves out:
        # the tuple's class may stand in a file that the kernel does not use.
        return (*super()._index_key(sig, codegen), tuple(_fields_in(sig)))

    @contextlib.contextmanager
    def alone(self, sig: Any) -> Iterator[None]:
        """Compile for these types while no other process does, and then load what it compiled."""
        folder = Path(self._impl.locator.get_cache_path())
        kernel = f"{folder}-{owner()}-{self._impl.filename_base}-{sig}"
        with turn(folder.parents[1] / "turns", kernel):
            yield

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        own = Path(self._impl.locator.get_cache_path())
        folders = [*(base / own.name for base in read_only_caches()), own]
        if owner() is not None:
            folders.append(self._saving())
        for folder in folders:
            with self._at(folder):
                found = super()._load_overload(sig, target_context)
            if found is not None:
                return found
        return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        with self._at(self._saving()):
            super()._save_overload(sig, data)

    def _saving(self) -> Path:
        """The folder to save in: apart, if the code that runs here has an owner."""
        stamp, apart = self._impl.locator.get_source_stamp(), owner()
        return cache_folder(stamp if apart is None else f"{stamp}-{apart}")

    @contextlib.contextmanager
    def _at(self, folder: Path) -> Iterator[None]:
        """Look only in this folder: the variables that name folders may have changed."""
        stamp = self._impl.locator.get_source_stamp()
        before = self._cache_file
        self._cache_file = IndexDataCacheFile(str(folder), self._impl.filename_base, stamp)
        try:
            yield
        finally:
            self._cache_file = before
