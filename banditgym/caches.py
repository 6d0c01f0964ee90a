"""Folders for files derived from sources: machine code, and lists of what a source uses."""

import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

_APART = "BANDITGYM_COMPILED_APART"  # an environment variable, which child processes inherit
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


@cache
def cache_folder(name: str) -> Path:
    """The folder of this name, such as a hash of sources; a temporary one if none is writable."""
    user = os.getuid() if os.name == "posix" else 0
    temporary = Path(tempfile.gettempdir()) / f"banditgym-{user}"
    for base in (*_chosen_base(), temporary):
        folder = base / f"compiled-{name}"
        try:
            fresh = not folder.exists()
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Files here are executed, so a folder that somebody else could write is not used.
            if base == temporary and os.name == "posix" and base.stat().st_uid != os.getuid():
                continue
            folder.mkdir(exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()  # fails if the home is read-only
        except OSError:
            continue
        if fresh:
            for other in base.glob("compiled-*"):
                if time.time() - other.stat().st_mtime > _STALE_AFTER:
                    shutil.rmtree(other, ignore_errors=True)
        return folder
    raise OSError(f"no folder for compiled code can be written, {temporary} neither")


def _chosen_base() -> list[Path]:
    """The folder that this user chose; none if the user has no home and names no folder."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named)]
    if named := os.environ.get("XDG_CACHE_HOME"):
        return [Path(named) / "banditgym"]
    try:
        return [Path.home() / ".cache" / "banditgym"]
    except RuntimeError:  # a user without a home directory, as in some containers
        return []


def shared_caches() -> list[Path]:
    """Folders of compiled code that a process may get to read, so that it need not compile."""
    return [cache_folder("syntax").parent, *read_only_caches()]


def read_only_caches() -> list[Path]:
    """Folders of compiled code that is read, and never written, before this process's own."""
    named = os.environ.get("BANDITGYM_KERNELS", "")
    return [Path(path) for path in named.split(os.pathsep) if path]
