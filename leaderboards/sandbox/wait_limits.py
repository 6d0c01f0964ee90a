"""Limits on the wait for one message: the agent's CPU seconds, and a wide bound on wall-clock time.

A fault is final, so it must not depend on what else runs on the judge's machine. The limit is
therefore on the CPU time that the agent uses. The bound on wall-clock time is for agents that
sleep.
"""

import time
from typing import Any

from leaderboards.processes.clock import cpu_seconds
from leaderboards.sandbox.messages import LateError

_LOOKS = 10  # least number of readings of the CPU time before a limit is reached
_LONGEST = 1.0  # seconds from one look to the next


class WaitLimits:
    """The time that one message may take, from now on.

    Parameters
    ----------
    wall : float
        Wall-clock seconds.
    cpu : float, optional
        CPU seconds of a process and its children. They are counted from their first reading, which
        is up to a second late: a message that is answered at once needs no reading.
    pid : int, optional
        That process.

    Attributes
    ----------
    begun : float
        ``time.monotonic`` at the start.
    """

    def __init__(self, wall: float, cpu: float | None = None, pid: int = 0):
        self._wall, self._cpu, self._pid = wall, cpu, pid
        self._step = wall if cpu is None else min(_LONGEST, min(wall, cpu) / _LOOKS)
        self._before: float | None = None  # CPU seconds at the first look
        self.begun = time.monotonic()
        self._next = self.begun + self._step

    def wait(self, ready: Any) -> None:
        """Wait until a ``select.poll`` object reports an event.

        Raises
        ------
        LateError
            If the time is up; its text is the limit.
        """
        while True:
            left = self._next - time.monotonic()
            if left > 0 and ready.poll(1000 * left):
                return
            if left <= 0:
                self._look()

    def _look(self) -> None:
        now = time.monotonic()
        if now >= self.begun + self._wall:
            raise LateError(f"{self._wall:g} s")
        used = None if self._cpu is None else cpu_seconds(self._pid)
        if used is not None and self._cpu is not None:
            if self._before is None:
                self._before = used
            if used - self._before > self._cpu:
                raise LateError(f"{self._cpu:g} s of CPU time")
        self._next = min(now + self._step, self.begun + self._wall)
