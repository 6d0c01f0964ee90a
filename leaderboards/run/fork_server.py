"""Processes that run third-party code: the other side of ``processes.subprocess_answer``.

They answer two questions: what a plan must know about an agent, and what the agent does in a cell.
"""

import contextlib
import hashlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from banditgym.compiled.cache import keep_apart
from banditgym.files.class_paths import names_own, place_of
from banditgym.streams import AGENT, Stream
from leaderboards.console.compilation import notes_of_compilation
from leaderboards.processes.interrupts import attempt
from leaderboards.processes.launcher import kill_descendants
from leaderboards.processes.workers import die_with_parent, keep_orphans
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

    def described() -> dict[str, Any]:
        agent, known = about(spec)
        return {**known, "refusals": refusals(agent, map(SuiteTask.from_plain, question["tasks"]))}

    found, error = attempt(described)
    return found if error is None else failure(error)


def serve(channel: int) -> NoReturn:
    """Fork a process for each socket and pipe received, one at a time, until the sender is gone.

    This process ends with the thread that started it, even while it is stopped by a signal.

    Parameters
    ----------
    channel : int
        File descriptor of the socket on which requests arrive. For each, this process sends back
        the process id of its fork, then its exit code, in eight bytes each.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_orphans()
    # The first kernel initialises numba, which takes 0.3 s: here, once for all forks.
    Stream([0], AGENT, 0, 0).uniform(0, (1,))
    control = socket.socket(fileno=channel)
    with contextlib.suppress(ConnectionError):  # the asking process was killed
        while True:
            message, received, _, _ = socket.recv_fds(control, 1, 2)
            if not message:
                break
            child = os.fork()
            if child == 0:
                control.close()
                _answer_and_end(*received)
            for number in received:
                os.close(number)
            control.sendall(child.to_bytes(8))
            _, status = os.waitpid(child, 0)
            _end_descendants()  # processes that the child left behind
            control.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, signed=True))
    os._exit(0)


def _owner(spec: str) -> str:
    """Hash that identifies the code that a text names; it changes whenever the file changes."""
    place, _ = place_of(spec)
    digest = hashlib.sha256(os.path.abspath(place).encode())
    with contextlib.suppress(OSError, ValueError):  # it is a module, or there is no such file
        digest.update(Path(place).read_bytes())
    return digest.hexdigest()[:16]


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
        die_with_parent()
        # A new interpreter has a freshly seeded global generator; all forks would share their
        # parent's.
        np.random.seed()  # noqa: NPY002
        with channel.makefile("rb") as lines:
            question = json.loads(lines.readline())
        threading.Thread(target=_end_with_asker, args=(channel,), daemon=True).start()
        os.chdir(question["folder"])
        if not names_own(question["spec"]):
            keep_apart(_owner(question["spec"]))
        with notes_of_compilation(lambda begins: _send(channel, compiling=begins)):
            said = answer(question)
        attempt(lambda: sys.stdout.flush())  # the answer ends this process
        _send(channel, answer=said)
    finally:
        os._exit(0)


def _end_with_asker(channel: socket.socket) -> None:
    with contextlib.suppress(ConnectionError):
        channel.recv(1)  # nothing comes after the question
    os._exit(1)


def _send(channel: socket.socket, **said: object) -> None:
    channel.sendall(json.dumps(said).encode() + b"\n")
