"""Folders for files derived from sources: machine code, and lists of what a source uses."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Environment variables, which child processes inherit.
_APART, _NAMED, _READ_ONLY = "BANDITGYM_COMPILED_APART", "NUMBA_CACHE_DIR", "BANDITGYM_KERNELS"
_STALE_AFTER = 7 * 24 * 3600.0  # seconds after which the cache of other sources is deleted


def keep_apart(owner: str) -> None:
    """From now on, save this process's machine code only for processes of the same owner.

    Machine code is looked up by a function's sources, but compiled from the current values of its
    names, which third-party code may have changed. So a process that runs third-party code must not
    save machine code that others load. It still loads the machine code that is there for all.

    Parameters
    ----------
    owner : str
        The owner of the code that runs here, as part of a folder's name.
    """
    os.environ[_APART] = owner


def owner() -> str | None:
    """The owner of the code that runs in this process, if it saves machine code apart."""
    return os.environ.get(_APART) or None


@contextlib.contextmanager
def fresh_caches() -> Iterator[None]:
    """Context manager: all machine code is compiled anew, in a folder that is deleted at the end.

    The cache holds pickles, and to load a pickle executes it. Code that ran with this user's rights
    may have changed them, so a process that judges such code loads none of them. It must not have
    called a kernel before.
    """
    before = {name: os.environ.pop(name, None) for name in (_APART, _NAMED, _READ_ONLY)}
    where = tempfile.TemporaryDirectory(prefix="banditgym-", ignore_cleanup_errors=True)
    with where as os.environ[_NAMED]:
        try:
            yield
        finally:
            del os.environ[_NAMED]
            os.environ.update({name: value for name, value in before.items() if value is not None})


def cache_folder(name: str) -> Path:
    """The folder of this name, such as a hash of sources; a temporary one if none is writable."""
    user = os.getuid() if os.name == "posix" else 0
    return _made(name, *_chosen_base(), Path(tempfile.gettempdir()) / f"banditgym-{user}")


def shared_cache() -> Path:
    """The folder of all compiled code; a process may get to read it, so that it need not compile.

    It holds nothing else: the file by which compiling processes take turns is in its parent.
    """
    return cache_folder("syntax").parent


@cache
def _made(name: str, *bases: Path) -> Path:
    temporary = bases[-1]
    for base in bases:
        folder = base / "kernels" / f"compiled-{name}"
        try:
            fresh = not folder.exists()
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Files here are executed, so a folder that somebody else could write is not used.
            if base == temporary and os.name == "posix" and base.stat().st_uid != os.getuid():
                continue
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()  # fails if the home is read-only
        except OSError:
            continue
        if fresh:
            for other in folder.parent.glob("compiled-*"):
                if time.time() - other.stat().st_mtime > _STALE_AFTER:
                    shutil.rmtree(other, ignore_errors=True)
        return folder
    raise OSError(f"no folder for compiled code can be written, {temporary} neither")


def _chosen_base() -> list[Path]:
    """The folder that this user chose; none if the user has no home and names no folder."""
    if named := os.environ.get(_NAMED):
        return [Path(named) / "banditgym"]
    if named := os.environ.get("XDG_CACHE_HOME"):
        return [Path(named) / "banditgym"]
    try:
        return [Path.home() / ".cache" / "banditgym"]
    except RuntimeError:  # a user without a home directory, as in some containers
        return []


def read_only_caches() -> list[Path]:
    """Folders of compiled code that is read, and never written, before this process's own."""
    named = os.environ.get(_READ_ONLY, "")
    return [Path(path) for path in named.split(os.pathsep) if path]
