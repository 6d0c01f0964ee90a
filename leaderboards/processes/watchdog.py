"""Marks, empty files that say which process runs which cell, and a watchdog that ends slow ones.

A loop in compiled code holds the interpreter's lock, so only another process can stop it, and that
process must know which one to stop. A mark is one file name, which is created, renamed and removed
by single system calls, so it can be read at any time, even if workers hang or die.
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

from leaderboards.console.compilation import notes_of_compilation
from leaderboards.processes.clock import Clock

_COMPILING = "compiling"
_APART = "apart"  # the cell runs in a separate process, whose time this process limits
_HOST = re.sub(r"[^A-Za-z0-9.]+", "_", socket.gethostname())


@contextlib.contextmanager
def marks_folder(store: Path) -> Iterator[Path]:
    """A folder in the store for the marks of one run, removed at the end.

    Folders of killed runs on this machine are removed as well.
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
    """Context manager: mark that this process runs a cell, and whether it is compiling.

    With ``apart`` another process runs the cell: call the yielded function when it begins to
    compile, with True, and when it has finished, with False.
    """
    if marks is None:
        yield lambda begins: None
        return
    plays = marks / "-".join([cell, _HOST, str(os.getpid()), *[_APART] * apart])
    compiles = plays.with_name(f"{plays.name}-{_COMPILING}")

    # A run that gives up removes the folder while its workers are still ending.
    def rename(begins: bool) -> None:
        with contextlib.suppress(FileNotFoundError):
            plays.rename(compiles) if begins else compiles.rename(plays)

    with contextlib.suppress(FileNotFoundError):
        plays.touch()
    try:
        with contextlib.nullcontext() if apart else notes_of_compilation(rename):
            yield rename
    finally:
        plays.unlink(missing_ok=True)
        compiles.unlink(missing_ok=True)


class Watchdog:
    """Ends workers that exceed the time limit of a cell.

    Parameters
    ----------
    marks : Path
        Folder that the workers write to.
    limit : float
        CPU seconds that a cell may take, without compilation; see `clock`.

    Attributes
    ----------
    compiling : bool
        Whether a cell is compiling.
    compilers : set of str
        The names of cells that are compiling, or, if they run in a worker, were at an earlier
        check.
    """

    def __init__(self, marks: Path, limit: float):
        self.marks = marks
        self.limit = limit
        self.compiling = False
        self.compilers: set[str] = set()
        self._clocks: dict[str, Clock] = {}  # started when a mark is first seen

    def check(self) -> dict[str, str]:
        """Kill the workers past the limit; returns their cells with the reasons."""
        names = self._names()
        now = {_cell(name) for name in names if name.endswith(_COMPILING)}
        self.compiling = bool(now)
        workers = [name for name in names if _APART not in name.split("-")]
        self.compilers = now | {_cell(name) for name in workers} & self.compilers
        compiles = {
            name.removesuffix(f"-{_COMPILING}"): name.endswith(_COMPILING) for name in workers
        }
        self._clocks = {
            name: self._clocks.get(name) or Clock(int(name.split("-")[2]), self.limit)
            for name in compiles
        }
        overdue = {}
        for name, clock in self._clocks.items():
            _, host, pid = name.split("-")
            reason = clock.overdue(compiles[name])
            # Only processes on this machine can be ended, except this one, which may play itself.
            if reason is not None and host == _HOST and int(pid) != os.getpid():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
                overdue[_cell(name)] = reason
        return overdue

    def clear(self) -> None:
        """Remove all marks, after the workers that made them have ended."""
        for name in self._names():
            (self.marks / name).unlink(missing_ok=True)
        self._clocks, self.compiling, self.compilers = {}, False, set()

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.marks)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"the folder {self.marks} was removed while in use: finished cells are kept in the "
                "store; run again to continue"
            ) from None


def _cell(mark: str) -> str:
    return mark.partition("-")[0]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        pass
    return True
