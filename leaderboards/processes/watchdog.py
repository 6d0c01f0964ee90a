"""Who runs which cell, as empty files in a folder, and the end of those that take too long.

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
from collections.abc import Callable, Iterator
from pathlib import Path

from numba.core.event import Listener, install_listener

from leaderboards.processes.clock import Clock

_COMPILING = "compiling"
_APART = "apart"  # the cell runs in a process of its own, which this one keeps the time of
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
def running(
    marks: Path | None, cell: str, *, apart: bool = False
) -> Iterator[Callable[[bool], None]]:
    """Note for the length of a block that this process runs a cell, and while it compiles.

    With ``apart`` another process runs it, and only that it compiles is noted: by the function
    that is given, which is called with whether it does.
    """
    if marks is None:
        yield lambda compiles: None
        return
    name = f"{cell}-{_HOST}-{os.getpid()}"
    if apart:
        compiling = marks / f"{name}-{_APART}-{_COMPILING}"

        def note(compiles: bool) -> None:
            with contextlib.suppress(FileNotFoundError):
                compiling.touch() if compiles else compiling.unlink()

        yield note
        return
    mark = _Mark(marks / name)
    with mark, install_listener("numba:compile", mark):
        yield lambda compiles: None


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
    """Ends workers that take longer for a cell than they may.

    Parameters
    ----------
    marks : Path
        Folder that the workers write to.
    limit : float
        CPU seconds that a cell may take, compilation left out; see `clock`.
    """

    def __init__(self, marks: Path, limit: float):
        self.marks = marks
        self.limit = limit
        self.compiling = False
        self._clocks: dict[str, Clock] = {}  # from the first sight of a mark on

    def check(self) -> dict[str, str]:
        """Kill the workers past the limit; the cells that they ran, each with the reason."""
        names = self._names()
        self.compiling = any(name.endswith(_COMPILING) for name in names)
        compiles = {
            name.removesuffix(f"-{_COMPILING}"): name.endswith(_COMPILING)
            for name in names
            if _APART not in name
        }
        self._clocks = {name: self._clocks.get(name) or self._clock(name) for name in compiles}
        overdue = {}
        for name, clock in self._clocks.items():
            cell, host, pid = name.split("-")
            reason = clock.overdue(compiles[name])
            # Only workers on this machine can be ended; an executor of threads runs in us.
            if reason is not None and host == _HOST and int(pid) != os.getpid():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
                overdue[cell] = reason
        return overdue

    def clear(self) -> None:
        """Forget all marks, once the workers that made them are gone."""
        for name in self._names():
            (self.marks / name).unlink(missing_ok=True)
        self._clocks = {}

    def _clock(self, name: str) -> Clock:
        return Clock(int(name.split("-")[2]), self.limit)

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
