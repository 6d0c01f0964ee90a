"""Starts processes from one thread that lives as long as this process, and ends all they began.

Linux can send a process a signal when its parent dies (``PR_SET_PDEATHSIG``), but the parent is the
thread that started it. A process started from a pool's thread would die with that thread.
"""

import contextlib
import functools
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ENDING = 5.0  # seconds that a killed process may take to end


def launch(command: Sequence[str], **options: Any) -> subprocess.Popen:
    """``subprocess.Popen``, called in the one thread.

    Raises
    ------
    OSError
        If no process can be started.
    """
    return _thread(os.getpid()).submit(subprocess.Popen, command, **options).result()


@functools.cache
def _thread(pid: int) -> ThreadPoolExecutor:  # by process: a fork does not inherit the thread
    return ThreadPoolExecutor(1, thread_name_prefix="launcher of processes")


def descendants(pid: int) -> list[int]:
    """Ids of all descendants of a process; empty if the system does not list them."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = file.read_text(errors="replace").rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(file.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, ())
    return found[1:]


def kill_group(pid: int) -> None:
    """Kill a process and the group that it leads; it may not lead one yet."""
    _kill(os.killpg, [pid])
    _kill(os.kill, [pid])


def kill_descendants(pid: int) -> None:
    """Kill all descendants of a process that the system lists."""
    _kill(os.kill, descendants(pid))


def kill_tree(process: subprocess.Popen) -> None:
    """Kill a process that `launch` started, its group, and all descendants; wait for its end."""
    found = descendants(process.pid) if process.poll() is None else []
    process.kill()  # before its children, whose ends it might notice
    _kill(os.killpg, [process.pid])
    _kill(os.kill, found)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(ENDING)


def _kill(kill: Callable[[int, int], None], ids: Iterable[int]) -> None:
    for one in ids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(one, signal.SIGKILL)
