"""Starts processes from one thread that lives as long as this process.

Linux can send a process a signal when its parent dies (``PR_SET_PDEATHSIG``), but the parent is the
thread that started it. A process started from a pool's thread would die with that thread.
"""

import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any


def launch(command: Sequence[str], **options: Any) -> subprocess.Popen:
    """``subprocess.Popen``, called in the one thread.

    Raises
    ------
    OSError
        If no process can be started.
    """
    if not _running or _running[-1].born_in != os.getpid():  # a fork does not inherit the thread
        _running[:] = [_Launcher()]
    result: Future[subprocess.Popen] = Future()
    _running[-1].asked.put((result, command, options))
    return result.result()


class _Launcher(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="launcher of processes", daemon=True)
        self.born_in = os.getpid()
        self.asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            result, command, options = self.asked.get()
            try:
                process = subprocess.Popen(command, **options)
            except BaseException as error:  # it is raised again in the caller
                result.set_exception(error)
            else:
                result.set_result(process)


_running: list[_Launcher] = []
