"""Locks by which processes take turns; the system releases a lock when its process ends."""

import contextlib
import hashlib
import os
import threading
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

    A turn is a lock on one byte of a file, so a killed process holds none. If the system has no
    such locks, and after ``longest`` seconds, this process continues without its turn.

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
    with _opened(file) as descriptor:
        taken = descriptor is not None and _take(descriptor, place, longest)
        try:
            yield taken
        finally:
            if taken:
                fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)  # pyright: ignore


# The open files of each process, with how many of its turns need them: to close one ends them all.
# They are closed between turns, so that code which writes into every descriptor does not find them.
_open: dict[tuple[Path, int], list[int]] = {}
_opening = threading.Lock()


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[int | None]:
    own = (file, os.getpid())
    with _opening:
        if own not in _open:
            try:
                descriptor = None if fcntl is None else os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError:  # a folder that cannot be written
                descriptor = None
            if descriptor is not None:
                _open[own] = [descriptor, 0]
        found = _open.get(own)
        if found is not None:
            found[1] += 1
    try:
        yield None if found is None else found[0]
    finally:
        if found is not None:
            with _opening:
                found[1] -= 1
                if not found[1]:
                    os.close(_open.pop(own)[0])


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
