"""Folders for what is made from sources and kept on disk: machine code, and what a source uses."""

import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

_APART = "BANDITGYM_COMPILED_APART"  # of the environment, so that a process's own ones keep to it
_STALE_AFTER = 7 * 24 * 3600.0  # seconds after which the cache of other sources is deleted


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


def owner() -> str | None:
    """Whose code runs in this process, if it keeps what it makes apart."""
    return os.environ.get(_APART) or None


@cache
def cache_folder(name: str) -> Path:
    """The folder of this name, such as a hash of sources; a temporary one if need be."""
    user = os.getuid() if os.name == "posix" else 0
    temporary = Path(tempfile.gettempdir()) / f"banditgym-{user}"
    for base in (*_chosen_base(), temporary):
        folder = base / f"compiled-{name}"
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
    return [cache_folder("syntax").parent, *read_only_caches()]


def read_only_caches() -> list[Path]:
    """Folders of compiled code that is read, and never written, before this process's own."""
    named = os.environ.get("BANDITGYM_KERNELS", "")
    return [Path(path) for path in named.split(os.pathsep) if path]
