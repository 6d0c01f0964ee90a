"""Executors of cells: worker processes that end with their parent, or this process.

`Cluster` is the runner's interface to a cluster, with its two exceptions.
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
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing import util
from typing import Any

from loky import ProcessPoolExecutor
from loky.backend import resource_tracker
from loky.backend.context import LokyContext
from loky.backend.synchronize import SemLock

from leaderboards.processes.interrupts import deaf_children

# Options of Linux's prctl.
_PR_SET_PDEATHSIG = 1  # the signal to get when the parent dies
_PR_SET_CHILD_SUBREAPER = 36  # whether orphans among one's descendants become one's children
# Bytes by which a worker may grow before loky replaces it, 0.3 GB by default. Every compiled kernel
# stays in memory, and a new worker would load them again: measured by tools.speed.first_run.
_GROWTH = "2e9"
# One thread each: workers share the cores, and the order of a sum would depend on the threads.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
} | {"VECLIB_MAXIMUM_THREADS": "1"}


class Processes(ProcessPoolExecutor):
    """loky's processes, with the standard library's ``shutdown``.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    def __init__(self, workers: int):
        _start_tracker()
        super().__init__(
            max_workers=workers,
            # By its name "loky" it might be joblib's copy, which has a tracker of its own.
            context=LokyContext(),
            initializer=begin_worker,
            initargs=(os.getpid(),),
            env={**ONE_THREAD, "LOKY_MAX_MEMORY_LEAK_SIZE": _GROWTH},
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Hand a call to a worker; the first call starts the workers."""
        with deaf_children():
            _start_tracker()
            return super().submit(fn, *args, **kwargs)

    # As Executor's; loky's has kill_workers in place of cancel_futures.
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """End the workers; with ``cancel_futures`` at once, even inside compiled code."""
        _start_tracker()
        super().shutdown(wait=wait, kill_workers=cancel_futures)


_tracker: list[int | None] = [None]  # the process id of loky's tracker, when it was last seen


def _start_tracker() -> None:
    """Start the process by which loky releases what killed processes leave, if there is none.

    If it was killed, the next one gets to know the semaphores that are there: it would print a
    traceback for each that this process releases and it does not know.
    """
    tracker, before = resource_tracker._resource_tracker, _tracker[0]
    tracker.ensure_running()
    _tracker[0] = tracker._pid
    if before in (None, tracker._pid):
        return
    for one in [*util._finalizer_registry.values()]:  # pyright: ignore[reportAttributeAccessIssue]
        if one._callback is SemLock._cleanup:
            (name,) = one._args
            tracker.register(name, "semlock")


class Here(Executor):
    """Plays each cell in this process as it is submitted.

    Nothing can end a cell that hangs, and an agent can affect the cells after it: every agent is
    trusted.
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

    A worker therefore plays every cell in a separate process, limits its time, and ends it. A
    future that fails raises `Lost` or `Unusable`.
    """

    @property
    @abstractmethod
    def at_once(self) -> int:
        """The number of cells that keeps all present workers busy; workers may come and go."""


class Lost(Exception):
    """Every worker that tried a call died."""


class Unusable(OSError):
    """The cluster cannot run anything more; this ends the run."""


def begin_worker(parent: int) -> None:
    """Prepare a new worker: it ends with the run, not by Ctrl-C, and does not print crashes.

    Parameters
    ----------
    parent : int
        Process id of the run that the worker belongs to.
    """
    # Ignored, and so by its children; the parent has blocked it where it could.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # A row records each crash; without this, loky would print pages about it.
    faulthandler.enable(open(os.devnull, "w"))  # noqa: SIM115 (open as long as the worker lives)
    os.dup2(2, 1)  # an agent's prints must not get into the output of --json
    die_with_parent()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def die_with_parent() -> None:
    """Make the kernel end this process when the thread that started it has ended.

    This also ends a process that is stopped, or that holds the interpreter's lock in compiled code.
    On systems other than Linux it does nothing.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def keep_orphans() -> None:
    """On Linux: become the parent of every descendant whose parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
