"""The processes that run third-party code: the other side of ``leaderboards.processes.apart``.

They answer two questions: what a plan must know about an agent, and what the agent does in a cell.
"""

import contextlib
import hashlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from banditgym.compiled.cache import keep_apart
from banditgym.files.class_paths import names_own, place_of
from banditgym.streams import AGENT, Stream
from leaderboards.console.compilation import told_of_compilation
from leaderboards.processes.interrupts import attempt
from leaderboards.processes.workers import (
    die_with_parent,
    end_with_parent,
    keep_orphans,
    kill_descendants,
)
from leaderboards.run.entrants import about, refusals
from leaderboards.run.outcomes import outcome
from leaderboards.run.reasons import failure
from leaderboards.suites.suite import SuiteTask


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a question in plain data.

    Parameters
    ----------
    question : mapping
        If ``what`` is ``"about"``: describe the agent ``spec``, and which of the ``tasks`` it
        refuses. If ``what`` is ``"play"``: play ``spec`` on ``task`` with ``seeds``, on
        ``threads``.

    Returns
    -------
    dict
        The result of ``entrants.about`` with ``refusals``, or that of ``outcomes.outcome``. If the
        agent raised, ``error`` and ``traceback`` instead.
    """
    spec = question["spec"]
    if question["what"] == "play":
        task, threads = SuiteTask.from_plain(question["task"]), question["threads"]
        return outcome(task, spec, question["seeds"], threads=threads)

    def told() -> dict[str, Any]:
        agent, known = about(spec)
        return {**known, "refusals": refusals(agent, map(SuiteTask.from_plain, question["tasks"]))}

    found, error = attempt(told)
    return found if error is None else failure(error)


def serve(channel: int) -> NoReturn:
    """Run as a nursery: fork a process for each socket and pipe received, until the sender is gone.

    This process ends with the thread that started it, even while it is stopped by a signal.

    Parameters
    ----------
    channel : int
        File descriptor of the socket on which requests arrive.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler: Python then writes to the pipe
    keep_orphans()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # The first kernel initialises numba, which takes 0.3 s: here, once for all forks.
    Stream([0], AGENT, 0, 0).uniform(0, (1,))
    control = socket.socket(fileno=channel)
    while True:
        try:
            message, received, _, _ = socket.recv_fds(control, 1, 2)
        except ConnectionError:  # the asking process was killed
            message, received = b"", []
        if not message:
            os._exit(0)
        if message != b"b":  # a request to kill a child that has already ended
            continue
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            os.close(woken)
            os.close(wake)
            _answer_and_end(*received)
        for number in received:
            os.close(number)
        try:
            control.sendall(child.to_bytes(8))
            control.sendall(_attended(child, control, woken).to_bytes(8, signed=True))
        except ConnectionError:  # the asking process is gone
            _kill(child)
            os._exit(0)


def _owner(spec: str) -> str:
    """Hash that identifies the code that a text names; it changes whenever the file changes."""
    place, _ = place_of(spec)
    digest = hashlib.sha256(os.path.abspath(place).encode())
    with contextlib.suppress(OSError, ValueError):  # it is a module, or there is no such file
        digest.update(Path(place).read_bytes())
    return digest.hexdigest()[:16]


def _attended(child: int, control: socket.socket, woken: int) -> int:
    """Wait for a child and return its exit code; kill it on request, or if the asker is gone."""
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if control in ready:
            orphaned = not control.recv(1)
            _kill(child)
            if orphaned:
                os._exit(0)
        if woken in ready:
            os.read(woken, 64)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _end_descendants()  # processes that the child left behind
            return os.waitstatus_to_exitcode(status)


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # it may have no group yet


def _end_descendants() -> None:
    """Kill every process that the child left behind: orphans become children of this process."""
    with contextlib.suppress(ChildProcessError):  # none is left
        while True:
            ended, _ = os.waitpid(-1, os.WNOHANG)
            if not ended:
                kill_descendants(os.getpid())
                os.waitpid(-1, 0)


def _answer_and_end(number: int, output: int) -> NoReturn:
    """Read a question, answer it, and end this process in every case.

    Parameters
    ----------
    number, output : int
        File descriptors: the socket for question and answer, and the pipe to print into.
    """
    try:
        channel = socket.socket(fileno=number)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.close(output)
        os.setsid()
        end_with_parent(os.getppid())
        # A new interpreter has a freshly seeded global generator; all forks would share their
        # parent's.
        np.random.seed()  # noqa: NPY002
        with channel.makefile("rb") as lines:
            question = json.loads(lines.readline())
        os.chdir(question["folder"])
        if not names_own(question["spec"]):
            keep_apart(_owner(question["spec"]))
        with told_of_compilation(lambda begins: _send(channel, compiling=begins)):
            said = answer(question)
        attempt(lambda: sys.stdout.flush())  # the answer ends this process
        _send(channel, answer=said)
    finally:
        os._exit(0)


def _send(channel: socket.socket, **said: object) -> None:
    channel.sendall(json.dumps(said).encode() + b"\n")
