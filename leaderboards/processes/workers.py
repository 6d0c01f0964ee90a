"""Where cells are played: worker processes that end with their parent, or this very process.

What a cluster is to the runner stands here too: `Cluster`, with the two ways in which it fails.
"""

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from loky import ProcessPoolExecutor

# Of Linux' prctl.
_PR_SET_PDEATHSIG = 1  # the signal to get when the parent dies
_PR_SET_CHILD_SUBREAPER = 36  # whether orphans among one's descendants become one's children
# One thread each: workers share the cores, and a sum's order would depend on the threads.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
} | {"VECLIB_MAXIMUM_THREADS": "1"}


class Processes(ProcessPoolExecutor):
    """loky's processes, with the standard library's way to shut down.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    def __init__(self, workers: int):
        super().__init__(
            max_workers=workers,
            initializer=begin_worker,
            initargs=(os.getpid(),),
            env=ONE_THREAD,
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Hand a call to a worker; the workers are started here."""
        with deaf():
            return super().submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers; with ``cancel_futures`` at once, even inside compiled code."""
        super().shutdown(wait=wait, kill_workers=cancel_futures)


class Here(Executor):
    """Plays each cell in this process as it is submitted.

    Nothing can end one that hangs, and nothing keeps an agent from changing what is played after
    it: every agent is trusted.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function now and return a future that is done."""
        from threadpoolctl import threadpool_limits

        future: Future[Any] = Future()
        with threadpool_limits(1):
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
        return future


class Cluster(Executor, ABC):
    """Workers that this machine does not watch.

    So a worker plays every cell in a process of its own, keeps the time of that process, and ends
    it. A future that fails raises `Lost` or `Unusable`.
    """

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many cells keep all workers busy now: workers may come and go."""


class Lost(Exception):
    """The workers that ran a call died, as often as the call was tried."""


class Unusable(OSError):
    """The cluster can run nothing more, which ends the run."""


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Start processes that ignore Ctrl-C.

    It reaches the whole group, and is the parent's to handle. A process inherits that a signal is
    ignored, so those started here are deaf to it from their first moment on.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def begin_worker(parent: int) -> None:
    """Make a fresh worker quiet and mortal.

    Parameters
    ----------
    parent : int
        Process number of the run that the worker serves.
    """
    # A crash is told in its row: without this loky would print pages for every one.
    faulthandler.enable(open(os.devnull, "w"))  # noqa: SIM115 (open as long as the worker lives)
    os.dup2(2, 1)  # what an agent prints must not end up in the output of --json
    end_with_parent(parent)


def end_with_parent(parent: int) -> None:
    """End this process once its parent, of that number, has ended."""
    die_with_parent()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def die_with_parent() -> None:
    """Have the kernel end this process once the thread that started it has ended.

    The kernel ends a process that is stopped, too, or that holds the interpreter's lock in compiled
    code. Where the system is not Linux, this does nothing.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def keep_orphans() -> None:
    """Be the parent of every descendant whose own one ends, where the system is Linux."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants(pid: int) -> list[int]:
    """What a process has begun, and what that has begun, where the system tells of it."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = file.read_text(errors="replace").rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(file.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, ())
    return found[1:]


def kill_descendants(pid: int) -> None:
    """Kill what a process has begun, and what that has begun, where the system tells of it."""
    for child in descendants(pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(child, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
