"""Runs third-party code in a separate process; questions and answers are plain data.

`ask` is the only function. It starts one process for each question. The process is forked from a
"nursery", which has imported this package and nothing else, and it ends once it has answered. So
nothing that third-party code does to a class, a function or a library outlives the question. The
answer is JSON: it is parsed and never executed. This is not a sandbox: the process has the user's
rights to files and to other processes.

A fork takes about 10 ms; a new interpreter would spend 0.7 s on imports. Both load compiled code
from the disk.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboards.processes.clock import Clock
from leaderboards.processes.launcher import launch
from leaderboards.processes.printed import Printed
from leaderboards.processes.workers import ONE_THREAD, kill_descendants

_POLL = 0.05  # seconds between two looks at the clock
_PATIENCE = 10.0  # wall-clock seconds within which a process must end after it was asked to
_MOST = 1 << 28  # bytes of an answer
_BEGIN = (
    "import sys; sys.path[:] = {path!r}; "
    "from leaderboards.run.answers import serve; serve({channel})"
)


@dataclass(frozen=True)
class Answer:
    """The outcome of a question.

    Attributes
    ----------
    data : dict or None
        The answer as it was received. The caller must check it.
    lost : str or None
        Why there is no answer: the process died or was killed.
    """

    data: dict[str, Any] | None = None
    lost: str | None = None


def ask(
    question: Mapping[str, Any],
    *,
    limit: float,
    compiling: Callable[[bool], None] = lambda begins: None,
) -> Answer:
    """Run ``leaderboards.run.answers.answer(question)`` in a separate process.

    Parameters
    ----------
    question : mapping
        Plain data that JSON can hold, with the agent under ``"spec"``.
    limit : float
        CPU seconds after which the process is killed. It is also killed after ten times as many
        seconds of wall-clock time.
    compiling : callable
        Called with True when compilation begins, and with False when it ends.

    Raises
    ------
    OSError
        If no process can be started.
    """
    asked = {**question, "folder": os.getcwd()}
    text = json.dumps(asked).encode() + b"\n"
    nursery = _idle_nursery()
    channel, theirs = socket.socketpair()
    printed = Printed(question["spec"])
    with channel, contextlib.closing(printed):
        with theirs, open(printed.writer, "wb") as writer:
            pid = nursery.bear(theirs.fileno(), writer.fileno())
        answer = _listen(channel, nursery, printed, text, Clock(pid, limit), compiling)
    if not nursery.broken:
        _idle.append(nursery)
    return answer


def _listen(
    channel: socket.socket,
    nursery: "_Nursery",
    printed: Printed,
    text: bytes,
    clock: Clock,
    compiling: Callable[[bool], None],
) -> Answer:
    told, compiles, killed = bytearray(), False, False
    data = reason = status = None
    patience = 0.0
    with contextlib.suppress(OSError):  # it died before it had read everything
        channel.sendall(text)
    open_channels: list[Any] = [nursery.control, channel, printed.reader]
    while status is None:
        ready, _, _ = select.select(open_channels, [], [], _POLL)
        if printed.reader in ready and not printed.pass_on():
            open_channels.remove(printed.reader)
        if channel in ready:
            piece = _received(channel)
            if not piece:
                open_channels.remove(channel)
            told += piece
            lines: list[bytearray] = []
            if b"\n" in piece:  # a long line is split once, not with each of its pieces
                *lines, told = told.split(b"\n")
            for line in lines:
                heard = _read(line)
                if isinstance(heard.get("compiling"), bool):
                    compiles = heard["compiling"]
                    compiling(compiles)
                elif isinstance(heard.get("answer"), dict):
                    data = heard["answer"]
            if len(told) > _MOST:
                reason = "its process wrote too much: killed"
        elif nursery.control in ready:  # after all output was read
            status = nursery.ended()
        reason = reason or (clock.overdue(compiles) if data is None else None)
        if not killed and (reason is not None or data is not None):
            killed = True
            nursery.kill()  # no process that it started outlives the answer
            patience = time.monotonic() + _PATIENCE
        if killed and status is None and time.monotonic() > patience:
            status = nursery.abandon()
    if compiles:
        compiling(False)
    if data is not None:
        return Answer(data=data)
    return Answer(lost=reason or f"its process died{_cause(status)}")


class _Nursery:
    """A process that has imported this package and forks the processes that answer, one at a time.

    Only the nursery kills its child: it is the parent, so the child's process id cannot be reused
    before the nursery has waited for it.
    """

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.made_in = _surroundings()
        self.broken = False
        with theirs:
            begin = _BEGIN.format(path=sys.path, channel=theirs.fileno())
            self._process = launch(
                [sys.executable, "-c", begin],
                pass_fds=[theirs.fileno()],
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
                stdout=2,  # its prints must not get into the output of --json
                start_new_session=True,  # this process handles Ctrl-C in a terminal
            )

    def bear(self, channel: int, output: int) -> int:
        """Fork a process that answers on a socket and prints into a pipe; return its process id."""
        socket.send_fds(self.control, [b"b"], [channel, output])
        told = self._told(8)
        if told is None:
            raise OSError("no process for third-party code can be started")
        return int.from_bytes(told)

    def kill(self) -> None:
        """End the child and its process group, if it has not ended by itself."""
        with contextlib.suppress(OSError):
            self.control.send(b"k")

    def ended(self) -> int:
        """The child's exit code as of ``os.waitstatus_to_exitcode``; -9 if it is not known."""
        told = self._told(8)
        return -9 if told is None else int.from_bytes(told, signed=True)

    def abandon(self) -> int:
        """End a nursery that no longer replies, and its child; it may be stopped by a signal."""
        self.broken = True
        self.control.close()
        self._end()
        return -signal.SIGKILL

    def close(self) -> None:
        """End the nursery: it exits when its socket is closed."""
        self.control.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._end()

    def _end(self) -> None:
        kill_descendants(self._process.pid)
        self._process.kill()
        self._process.wait()

    def _told(self, n: int) -> bytes | None:
        told = b""
        while len(told) < n:
            piece = _received(self.control, n - len(told))
            if not piece:
                self.broken = True
                self.close()
                return None
            told += piece
        return told


# Nurseries that are not in use. ``pop`` and ``append`` of a list are safe between threads.
_idle: list[_Nursery] = []


def _idle_nursery() -> _Nursery:
    while True:
        try:
            found = _idle.pop()
        except IndexError:
            return _Nursery()
        if found.made_in == _surroundings():
            return found
        found.close()


def _surroundings() -> tuple[Any, ...]:
    return os.getpid(), dict(os.environ), list(sys.path)


@atexit.register
def _close_idle() -> None:
    while _idle:
        found = _idle.pop()
        if found.made_in[0] == os.getpid():
            found.close()


def _received(channel: socket.socket, most: int = 1 << 16) -> bytes:
    try:
        return channel.recv(most)
    except ConnectionError:
        return b""


def _read(line: bytes | bytearray) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _cause(status: int) -> str:
    """``" (SIGSEGV(-11))"``, in the form that loky uses for its workers."""
    if status < 0:
        with contextlib.suppress(ValueError):
            return f" ({signal.Signals(-status).name}({status}))"
    return f" (EXIT({status}))"
