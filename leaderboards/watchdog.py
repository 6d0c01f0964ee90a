"""Who runs which cell, as empty files in a folder, and the end of those that run too long.

A loop in compiled code holds the interpreter's lock, so nothing inside its process can stop it:
only another process can, and it must know which one. A mark is one file name, made and removed
and renamed by single system calls, so it can be read while workers live, hang and die.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from numba.core.event import Listener, install_listener

_COMPILING = "compiling"
_HOST = re.sub(r"[^A-Za-z0-9.]+", "_", socket.gethostname())


@contextlib.contextmanager
def marks_folder(store: Path) -> Iterator[Path]:
    """A folder for the marks of one run, within its store, removed at the end.

    Folders left by runs of this machine that were killed are removed as well.
    """
    for left in store.glob(f"running-{_HOST}-*"):
        if not _alive(int(left.name.split("-")[2])):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"running-{_HOST}-{os.getpid()}-", dir=store))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def running(marks: Path | None, cell: str) -> Iterator[None]:
    """Note for the length of a block that this process runs a cell, and while it compiles."""
    if marks is None:
        yield
        return
    mark = _Mark(marks / f"{cell}-{_HOST}-{os.getpid()}")
    with mark, install_listener("numba:compile", mark):
        yield


class _Mark(Listener):
    """One file; its name tells whether the cell plays or, off its clock, compiles."""

    def __init__(self, path: Path):
        self._plays = path
        self._compiles = path.with_name(f"{path.name}-{_COMPILING}")
        self._depth = 0  # a function's compilation compiles those that it calls

    # A run that was given up removes the folder while its workers are still ending.
    def __enter__(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._plays.touch()

    def __exit__(self, *_: object) -> None:
        self._plays.unlink(missing_ok=True)

    def on_start(self, event: object) -> None:
        self._depth += 1
        if self._depth == 1:
            self._rename(self._plays, self._compiles)

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._rename(self._compiles, self._plays)

    @staticmethod
    def _rename(old: Path, new: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            old.rename(new)


class Watchdog:
    """Ends workers that run a cell for longer than a limit.

    Parameters
    ----------
    marks : Path
        Folder that the workers write to.
    limit : float
        Seconds that a cell may take, each pause for compilation starting them anew.
    """

    def __init__(self, marks: Path, limit: float):
        self.marks = marks
        self.limit = limit
        self.compiling = False
        self._since: dict[str, float] = {}  # first sight of a mark, on our own clock

    def check(self) -> set[str]:
        """Kill the workers past the limit and return the cells that they ran."""
        now = time.monotonic()
        names = self._names()
        self.compiling = any(_COMPILING in name for name in names)
        self._since = {name: self._since.get(name, now) for name in names if _COMPILING not in name}
        overdue = set()
        for name, since in self._since.items():
            cell, host, pid = name.split("-")
            # Only workers on this machine can be ended; an executor of threads runs in us.
            if now - since > self.limit and host == _HOST and int(pid) != os.getpid():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
                overdue.add(cell)
        return overdue

    def clear(self) -> None:
        """Forget all marks, once the workers that made them are gone."""
        for name in self._names():
            (self.marks / name).unlink(missing_ok=True)
        self._since = {}

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.marks)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"the folder {self.marks} was removed while in use: finished cells are kept in the "
                "store; run again to go on"
            ) from None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
