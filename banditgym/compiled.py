"""The one decorator for compiled code: numba, cached on disk under a hash of all our sources.

Kernels are compiled with ``error_model="numpy"`` (a division that may raise stops vectorisation)
and without fast-math or contraction, so that a number does not depend on the loop around it.
"""

import functools
import hashlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache

_SESSION = secrets.token_hex(8)  # unlike a process's number, never used again
_STALE_AFTER = 7 * 24 * 3600.0  # seconds after which the cache of other sources is deleted


def compiled(function: Callable) -> Any:
    """Compile ``function`` with numba at its first call, and keep the machine code on disk.

    numba's own disk cache is stale when a *called* function of another file changed: it looks at
    the caller's file alone. Here the cache is keyed by all sources of banditgym and agents and by
    the function's own file, so that third-party kernels may call ours.
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


@functools.cache
def source_hash() -> str:
    """Hash of every Python source of banditgym and agents: 16 hexadecimal digits."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for house in (here, here.parent / "agents"):
        for path in sorted(house.rglob("*.py")):
            digest.update(str(path.relative_to(here.parent)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Where the machine code of the present sources lies; a temporary folder if need be."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    temporary = (
        Path(tempfile.gettempdir()) / f"banditgym-{os.getuid() if os.name == 'posix' else 0}"
    )
    for base in (Path(named) if named else Path(home) / "banditgym", temporary):
        folder = base / f"compiled-{source_hash()}"
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


class _Locator:
    """Tells numba where a function's machine code lies and which sources it belongs to."""

    def __init__(self, file: str):
        self._file = file

    @classmethod
    def from_function(cls, function: Callable, file: str) -> "_Locator":
        return cls(file)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def ensure_cache_path(self) -> None:
        cache_folder()

    def get_source_stamp(self) -> str:
        # A function typed at a prompt has no file: it is cached for this process alone.
        try:
            own = hashlib.sha256(Path(self._file).read_bytes()).hexdigest()
        except OSError:
            own = _SESSION
        return source_hash() + own

    def get_disambiguator(self) -> str:
        return hashlib.sha256(self._file.encode()).hexdigest()[:10]


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):
    _impl_class = _CacheImpl
