"""The other side of ``leaderboards.apart``: processes that run others' code, and what they say.

Two questions are answered: what a plan must know of an agent, and what a cell gave.
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
from numba.core.event import Listener, install_listener

from agents.naming import place_of
from banditgym.compiled import keep_apart
from banditgym.streams import LEARNER, Stream
from leaderboards.cell import failure, outcome
from leaderboards.entrants import about, refusals
from leaderboards.interrupts import attempt
from leaderboards.processes import die_with_parent, end_with_parent, keep_orphans, kill_descendants
from leaderboards.suite import SuiteTask


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """Answer in plain data.

    Parameters
    ----------
    question : mapping
        ``what`` is ``"about"``, for ``spec`` and its refusals of ``tasks``, or ``"play"``, for
        ``spec`` on a ``task`` with ``seeds``.

    Returns
    -------
    dict
        What ``entrants.about`` gives with the ``refusals``, or what ``cell.outcome`` does; in place
        of either the ``error`` with its ``traceback``.
    """
    spec = question["spec"]
    if question["what"] == "play":
        return outcome(_task(question["task"]), spec, question["seeds"])

    def told() -> dict[str, Any]:
        agent, known = about(spec)
        return {**known, "refusals": refusals(agent, map(_task, question["tasks"]))}

    found, error = attempt(told)
    return found if error is None else failure(error)


def serve(channel: int) -> NoReturn:
    """Bear a process for every socket and pipe that come in, until nobody is there to send them.

    The process ends with the thread that started it, even while it is stopped.

    Parameters
    ----------
    channel : int
        Number of the socket on which this is asked for.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # so that the pipe hears of it
    keep_orphans()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # The first kernel makes numba ready, which takes 0.3 s: here, once for all that are born.
    Stream([0], LEARNER, 0, 0).uniform(0, (1,))
    control = socket.socket(fileno=channel)
    while True:
        message, received, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            os._exit(0)
        if message != b"b":  # it was to be killed, and had ended
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
        except ConnectionError:  # who asked is gone
            _kill(child)
            os._exit(0)


def _task(fields: Mapping[str, Any]) -> SuiteTask:
    """A task from its fields as plain data."""
    return SuiteTask(**{**fields, "files": tuple(map(tuple, fields["files"]))})


def _owner(spec: str) -> str:
    """Whose code a text names: 16 hexadecimal digits, others for a file's every state."""
    place, _ = place_of(spec)
    digest = hashlib.sha256(os.path.abspath(place).encode())
    with contextlib.suppress(OSError, ValueError):  # it is a module, or there is no such file
        digest.update(Path(place).read_bytes())
    return digest.hexdigest()[:16]


def _attended(child: int, control: socket.socket, woken: int) -> int:
    """How a child ended, which is killed when that is asked for or nobody listens any more."""
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
            _end_descendants()  # what it left behind
            return os.waitstatus_to_exitcode(status)


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # it may have no group yet


def _end_descendants() -> None:
    """Kill all that the child has begun: what outlives it, whatever its group, is ours by now."""
    with contextlib.suppress(ChildProcessError):  # none is left
        while True:
            ended, _ = os.waitpid(-1, os.WNOHANG)
            if not ended:
                kill_descendants(os.getpid())
                os.waitpid(-1, 0)


def _answer_and_end(number: int, output: int) -> NoReturn:
    """Read a question, answer it, and end this process, whatever comes.

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
        # An interpreter that begins anew has a global generator of its own; a fork has its
        # parent's, and all forks the same.
        np.random.seed()  # noqa: NPY002
        with channel.makefile("rb") as lines:
            question = json.loads(lines.readline())
        os.chdir(question["folder"])
        keep_apart(_owner(question["spec"]))
        with install_listener("numba:compile", _Compilation(channel)):
            said = answer(question)
        attempt(lambda: sys.stdout.flush())  # the answer ends this process
        channel.sendall(json.dumps({"answer": said}).encode() + b"\n")
    finally:
        os._exit(0)


class _Compilation(Listener):
    """Says when numba begins to compile, and when it is done."""

    def __init__(self, channel: socket.socket):
        self._channel = channel
        self._depth = 0  # a function's compilation compiles those that it calls

    def on_start(self, event: object) -> None:
        self._depth += 1
        if self._depth == 1:
            self._channel.sendall(b'{"compiling": true}\n')

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._channel.sendall(b'{"compiling": false}\n')
