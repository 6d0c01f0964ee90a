"""Measures the time a process has used: CPU seconds, with a wide bound on wall-clock time.

On a busy machine a process needs more wall-clock seconds. CPU seconds count only the process's own
work, so a limit on them means the same everywhere.
"""

import contextlib
import os
import time
from pathlib import Path

WALL = 10.0  # limit on wall-clock time, as a multiple of the CPU limit: for processes that sleep
COMPILING = 1800.0  # wall-clock seconds for compilation, which counts towards neither limit


class Clock:
    """The clocks of one process that may use ``limit`` CPU seconds from now on.

    Parameters
    ----------
    pid : int
        The process. Its children count with it.
    limit : float
        CPU seconds; wall-clock seconds where the system does not report CPU time.
    """

    def __init__(self, pid: int, limit: float):
        self._pid, self._limit = pid, limit
        self._used = self._waited = self._compiled = 0.0
        self._compiles = False
        self._cpu, self._now = self._read()

    def overdue(self, compiling: bool) -> str | None:
        """Why the process must end; None if it need not.

        Parameters
        ----------
        compiling : bool
            Whether it is compiling now: then the time since the last call is not counted.
        """
        cpu, now = self._read()
        if compiling or self._compiles:
            self._compiled += now - self._now
        else:
            self._waited += now - self._now
            # A child's CPU time is lost when it ends, unless its parent waited for it.
            self._used += max(0.0, cpu - self._cpu)
        self._cpu, self._now, self._compiles = cpu, now, compiling
        if self._used > self._limit:
            return f"still running after {self._limit:g} s of CPU time: killed"
        if self._waited > WALL * self._limit:
            return (
                f"still running after {WALL * self._limit:g} s, with {self._used:.3g} s of CPU "
                "time: killed"
            )
        if self._compiled > COMPILING:
            return f"still compiling after {COMPILING:g} s: killed"
        return None

    def _read(self) -> tuple[float, float]:
        now = time.monotonic()
        cpu = cpu_seconds(self._pid)
        return (now if cpu is None else cpu), now


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds of a process and its descendants; None where the system does not report them.

    Ended descendants count only if their parent waited for them.
    """
    if not Path("/proc/self/stat").exists():
        return None
    ticks, left = 0, [pid]
    while left:
        process = Path("/proc", str(left.pop()))
        with contextlib.suppress(OSError):  # it has ended
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # its own and its children's, user and system
            for task in (process / "task").iterdir():
                left += map(int, (task / "children").read_text().split())
    return ticks / os.sysconf("SC_CLK_TCK")
