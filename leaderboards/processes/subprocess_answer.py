"""Runs third-party code in a separate process; questions and answers are plain data.

`ask` is the only function. It starts one process for each question. The process is forked from a
server, which has imported this package and nothing else, and it ends once it has answered. So
nothing that third-party code does to a class, a function or a library outlives the question. The
answer is JSON: it is parsed and never executed. This is not a sandbox: the process has the user's
rights to files and to other processes.

Here agent and environment share the process. So the seconds of both are measured, blocks of rounds
are played in compiled code, an error ends the cell with its line, and a cluster can limit cells of
our own agents too. In `leaderboards.sandbox` the agent alone has a process, of which an error costs
the replicates that had it; every round then costs a message, and every cell a new interpreter. A
fork takes about 10 ms; a new interpreter spends more than a second on imports. Both load compiled
code from the disk.
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
from typing import Any

from leaderboards.processes.clock import Clock
from leaderboards.processes.launcher import kill_group, kill_tree, launch
from leaderboards.processes.printed_output import passed_on
from leaderboards.processes.workers import ONE_THREAD, Lost

_POLL = 0.05  # seconds between two looks at the clock
_ENDING = 10.0  # wall-clock seconds within which a process must end after it was killed
_MOST = 1 << 28  # bytes of an answer
_BEGIN = (
    "import sys; sys.path[:] = {path!r}; "
    "from leaderboards.run.fork_server import serve; serve({channel})"
)


def ask(
    question: Mapping[str, Any],
    *,
    limit: float,
    compiling: Callable[[bool], None] = lambda begins: None,
) -> dict[str, Any]:
    """Run ``leaderboards.run.fork_server.answer(question)`` in a separate process.

    Parameters
    ----------
    question : mapping
        Plain data that JSON can hold, with the agent under ``"spec"``.
    limit : float
        CPU seconds after which the process is killed. It is also killed after ten times as many
        seconds of wall-clock time.
    compiling : callable
        Called with True when compilation begins, and with False when it ends.

    Returns
    -------
    dict
        The answer as it was received. The caller must check it.

    Raises
    ------
    Lost
        If there is no answer: the process died or was killed; with the reason.
    OSError
        If no process can be started.
    """
    text = json.dumps({**question, "folder": os.getcwd()}).encode() + b"\n"
    server = _idle_server()
    channel, theirs = socket.socketpair()
    with channel, passed_on(question["spec"]) as output:
        with theirs, output:
            pid = server.fork(theirs.fileno(), output.fileno())
        with contextlib.suppress(OSError):  # it died before it had read everything
            channel.sendall(text)
        try:
            answer = _listen(channel, server, pid, Clock(pid, limit), compiling)
        except BaseException:
            server.end()
            raise
        if server.ended:
            kill_group(pid)
        else:
            _idle.append(server)
    if isinstance(answer, str):
        raise Lost(answer)
    return answer


def _listen(
    channel: socket.socket,
    server: "_ForkServer",
    pid: int,
    clock: Clock,
    compiling: Callable[[bool], None],
) -> dict[str, Any] | str:
    """The answer, or why there is none."""
    received, compiles = bytearray(), False
    data = reason = status = killed = None
    waiting = [server.control, channel]
    while status is None:
        ready, _, _ = select.select(waiting, [], [], _POLL)
        if channel in ready:
            piece = _received(channel)
            if not piece:
                waiting.remove(channel)
            received += piece
            lines: list[bytearray] = []
            if b"\n" in piece:  # a long line is split once, not with each of its pieces
                *lines, received = received.split(b"\n")
            for line in lines:
                said = _read(line)
                if isinstance(said.get("compiling"), bool):
                    compiles = said["compiling"]
                    compiling(compiles)
                elif isinstance(said.get("answer"), dict):
                    data = said["answer"]
            if len(received) > _MOST:
                reason = "its process wrote too much: killed"
        elif server.control in ready:  # after all output was read
            status = server.status()
        reason = reason or (clock.overdue(compiles) if data is None else None)
        # With its status its id is free, and the server has ended what it left behind.
        if status is None and killed is None and (reason is not None or data is not None):
            killed = time.monotonic()
            kill_group(pid)  # no process that it started outlives the answer
        if status is None and killed is not None and time.monotonic() > killed + _ENDING:
            status = server.end()  # it no longer replies; it may be stopped by a signal
    if compiles:
        compiling(False)
    return reason or f"its process died{_cause(status)}" if data is None else data


class _ForkServer:
    """A process that has imported this package and forks the processes that answer, one at a time.

    It waits for each of them, and ends what they leave behind.
    """

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.made_in = _surroundings()
        self.ended = False
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

    def fork(self, channel: int, output: int) -> int:
        """Fork a process that answers on a socket and prints into a pipe; return its process id."""
        with contextlib.suppress(OSError):
            socket.send_fds(self.control, [b"f"], [channel, output])
        pid = self._number()
        if pid is None:
            raise OSError("no process for third-party code can be started")
        return pid

    def status(self) -> int:
        """The child's exit code as of ``os.waitstatus_to_exitcode``; -9 if it is not known."""
        status = self._number()
        return -signal.SIGKILL if status is None else status

    def end(self, seconds: float = 0.0) -> int:
        """End the server, which exits when its socket is closed, and its child; return -9."""
        self.ended = True
        self.control.close()
        if self.made_in[0] == os.getpid():  # else it belongs to the process that forked this one
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            kill_tree(self._process)
        return -signal.SIGKILL

    def _number(self) -> int | None:
        """What it says, eight bytes; None if it has ended."""
        said = _received(self.control, 8, socket.MSG_WAITALL)
        if len(said) == 8:
            return int.from_bytes(said, signed=True)
        self.end(_ENDING)
        return None


# Servers that are not in use. ``pop`` and ``append`` of a list are safe between threads.
_idle: list[_ForkServer] = []


def _idle_server() -> _ForkServer:
    while True:
        try:
            found = _idle.pop()
        except IndexError:
            return _ForkServer()
        if found.made_in == _surroundings():
            return found
        found.end(_ENDING)


def _surroundings() -> tuple[Any, ...]:
    return os.getpid(), dict(os.environ), list(sys.path)


@atexit.register
def _end_idle() -> None:
    while _idle:
        _idle.pop().end(_ENDING)


def _received(channel: socket.socket, most: int = 1 << 16, flags: int = 0) -> bytes:
    try:
        return channel.recv(most, flags)
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
