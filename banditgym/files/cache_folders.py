"""Folders for files derived from sources: machine code, and what a source uses."""

import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

# Environment variables, which child processes inherit.
APART, NAMED, READ_ONLY = "BANDITGYM_COMPILED_APART", "NUMBA_CACHE_DIR", "BANDITGYM_KERNELS"
_STALE_AFTER = 7 * 24 * 3600.0  # seconds after which a folder that nobody used is deleted


def owner() -> str | None:
    """The owner of the code that runs in this process, if it saves machine code apart."""
    return os.environ.get(APART) or None


def cache_folder(name: str) -> Path:
    """The folder of this name, such as a hash of sources; a temporary one if none is writable."""
    user = os.getuid() if os.name == "posix" else 0
    return _made(name, *_chosen_base(), Path(tempfile.gettempdir()) / f"banditgym-{user}")


def read_only_caches() -> list[Path]:
    """Such folders of others, which this process reads and never writes."""
    named = os.environ.get(READ_ONLY, "")
    return [Path(path) for path in named.split(os.pathsep) if path]


@cache
def _made(name: str, *bases: Path) -> Path:
    temporary = bases[-1]
    for base in bases:
        folder = base / "kernels" / f"compiled-{name}"
        try:
            fresh = not folder.exists()
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Files here are executed: a folder that other users can write to is not used.
            if base == temporary and os.name == "posix" and base.stat().st_uid != os.getuid():
                continue
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()  # fails if the home is read-only
            os.utime(folder)
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
    if named := os.environ.get(NAMED) or os.environ.get("XDG_CACHE_HOME"):
        return [Path(named) / "banditgym"]
    try:
        return [Path.home() / ".cache" / "banditgym"]
    except RuntimeError:  # a user without a home directory, as in some containers
        return []
