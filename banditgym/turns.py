"""Turns of processes at one thing, which the system ends with the process that has the turn."""

import contextlib
import functools
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a POSIX system: nobody waits
    fcntl = None

LONGEST_WAIT = 60.0  # seconds; the longest compilation of a kernel takes a tenth of this
_POLL = 0.01  # seconds


@contextlib.contextmanager
def turn(file: Path, thing: str, longest: float = LONGEST_WAIT) -> Iterator[bool]:
    """Context manager: wait until no other process has the turn at ``thing``, and take it.

    A turn is a lock on one byte of a file, so a process that is killed has none. Where the system
    offers no such locks, and after ``longest`` seconds, this process goes on without its turn.

    Parameters
    ----------
    file : Path
        The file, which is made if need be, and stays empty.
    thing : str
        Any text; a hash of it is the place of the byte.
    longest : float
        Seconds to wait at most.

    Yields
    ------
    bool
        Whether this process has the turn.
    """
    place = int.from_bytes(hashlib.sha256(thing.encode()).digest()[:7], "big")
    descriptor = _opened(file, os.getpid())
    taken = descriptor is not None and _take(descriptor, place, longest)
    try:
        yield taken
    finally:
        if taken:
            fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)  # pyright: ignore


@functools.cache  # open as long as the process lives: to close it would end all its turns
def _opened(file: Path, pid: int) -> int | None:
    try:
        return None if fcntl is None else os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # a folder that cannot be written
        return None


def _take(descriptor: int, place: int, longest: float) -> bool:
    assert fcntl is not None
    end = time.monotonic() + longest
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):  # POSIX allows either where it is taken
            if time.monotonic() > end:
                return False
            time.sleep(_POLL)
        except OSError:  # a file system without locks
            return False
        else:
            return True
