"""The judge's side of one agent's process: it asks, waits within limits, and ends the process."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from agents.inputs.observations import Observation
from banditgym.rounds import kinds
from banditgym.tasks import Task
from banditgym.validation import visible
from leaderboards.processes.clock import cpu_seconds
from leaderboards.processes.launcher import ENDING
from leaderboards.sandbox import messages
from leaderboards.sandbox.agent_description import LONGEST
from leaderboards.sandbox.faults import CPU, DEATH, ERROR, MALFORMED, TIMEOUT
from leaderboards.sandbox.launch import Started, start
from leaderboards.sandbox.layout import Layout, parts_of
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.messages import NOTHING, READY_REPLY, described, question, reply_header
from leaderboards.sandbox.mounts import SUBMISSION
from leaderboards.sandbox.shared import LATE, Shown
from leaderboards.sandbox.task_codec import plain
from leaderboards.sandbox.wait_limits import WaitLimits

_LONGEST_REASON = 4096  # bytes of a process's output before it has started
_LOOK = 0.25  # seconds between two looks at the CPU time


class LostError(Exception):
    """An agent's process was given up; ``kind`` is one of ``faults.KINDS``."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


class Process:
    """An agent's process, which gets one question at a time; the first bad reply ends it.

    Parameters
    ----------
    spec : str
        The agent, as ``agents.resolve`` takes it inside the process.
    files : mapping of str to Path
        The agent's own files, as ``launch.start`` takes them.
    full : bool
        Whether it runs inside bubblewrap.

    Raises
    ------
    LostError
        By every method, if there is no valid reply in time.
    """

    def __init__(self, spec: str, files: Mapping[str, Path], *, full: bool, limits: Limits):
        self._limits = limits
        self._starting = True  # whether answers may take as long as a start
        self._shown: Shown | None = None
        self._fixed = False
        self._forget()
        self._cpu = 0.0
        self._most_cpu: float | None = None  # reading of the CPU clock that ends the process
        self._next_look = 0.0
        self._started: Started | None = start(full=full, limits=limits, files=files)
        try:
            folder = SUBMISSION if full and files else _folder_of(files)
            self._ask(described(messages.CONFIGURE, {"spec": spec, "folder": folder}))
        except BaseException:
            self.end()
            raise

    @property
    def alive(self) -> bool:
        """Whether it has not been given up; it may have ended since the last question."""
        return self._started is not None and self._started.process.poll() is None

    def cpu_seconds(self) -> float:
        """CPU seconds that the process and its children have used."""
        if self._started is not None:
            self._cpu = cpu_seconds(self.pid) or self._cpu
        return self._cpu

    @property
    def pid(self) -> int:
        """Id of the process that was started: bubblewrap's, or the interpreter's."""
        return self._running().process.pid

    def reset(
        self,
        task: Task,
        n: int | None,
        seeds: Sequence[int],
        *,
        warming: bool,
        cpu: float | None = None,
    ) -> None:
        """Reset the agent for n replicates of a task.

        Parameters
        ----------
        warming : bool
            Whether a round may take as long as a start: warm-up rounds are not part of a result.
        cpu : float, optional
            CPU seconds that all rounds may take together.
        """
        self._starting, self._most_cpu = True, None
        self._forget()
        given = {"task": plain(task), "n": n, "seeds": [str(seed) for seed in seeds]}
        self._ask(described(messages.RESET, given))
        self._dtype, self._shape = task.plays.dtype, task.plays.shape(task, n)
        self._expected = reply_header(messages.ACTIONS, self._dtype, self._shape)
        # For such tasks the observation is the same array in every round.
        same = task.observes is kinds.NOTHING or getattr(task, "fixed_arms", False)
        self._fixed = same and not task.arms_vary
        self._starting = warming
        if cpu is not None and not warming:
            self._most_cpu = self.cpu_seconds() + cpu
            self._next_look = time.monotonic() + _LOOK

    def begin(self, observation: Observation) -> None:
        """Ask for actions; the message includes the pending outcome to learn from."""
        slot = self._show(observation)
        self._send(question(messages.ROUND, self._pending, slot, self._pending_slot))
        self._pending, self._pending_slot = b"", NOTHING

    def actions(self) -> np.ndarray:
        """The answer. Its dtype and shape are checked, its values are not."""
        given = np.frombuffer(bytearray(self._receive(self._expected)), self._dtype)
        return given if given.shape == self._shape else given.reshape(self._shape)

    def learn(self, observation: Observation, outcome: Mapping[str, np.ndarray]) -> None:
        """Send an observation and the outcome of its actions with the next question."""
        self.flush()
        key = [(name, a.dtype, a.shape, a.strides) for name, a in outcome.items()]
        if key != self._outcome[0]:
            self._outcome = key, Layout.of(outcome)
            self._ask(described(messages.LAYOUT, self._outcome[1].plain))
        slots = self._slots
        if observation is slots[self._turn]:
            slot = self._turn
        elif observation is slots[1 - self._turn]:
            slot = 1 - self._turn
        else:
            slot = LATE
            self._write(LATE, observation)
        self._pending = self._outcome[1].bytes_of(outcome)
        self._pending_slot = slot
        if slot == LATE:
            self.flush()

    def describe(self, tasks: Mapping[str, Task]) -> bytes:
        """The agent's description of itself and the tasks it refuses."""
        known = {name: plain(task) for name, task in tasks.items()}
        self._send(described(messages.DESCRIBE, known))
        return self._receive(_DESCRIPTION)

    def flush(self) -> None:
        """Send a pending outcome now."""
        pending, slot = self._pending, self._pending_slot
        if slot != NOTHING:
            self._pending, self._pending_slot = b"", NOTHING
            self._ask(question(messages.ROUND, pending, NOTHING, slot))

    def state_bytes(self) -> int:
        """Bytes of the agent's state, as it claims."""
        self.flush()
        self._send(question(messages.STATE))
        self._next_look = 0.0
        return int(np.frombuffer(self._receive(_NUMBER), np.int64)[0])

    def advice(self, n: int) -> np.ndarray:
        """The arms that n replicates recommend, -1 if none, and whether they have finished (2, n).

        They answer the last observation acted on. The values are not checked.
        """
        self.flush()
        self._send(question(messages.ADVISE))
        expected = reply_header(messages.ADVICE, np.dtype(np.int64), (2, n))
        return np.frombuffer(self._receive(expected), np.int64).reshape(2, n)

    def end(self) -> None:
        """End the process and its children, and release its shared memory."""
        started, self._started = self._started, None
        if started is None:
            return
        self._cpu = cpu_seconds(started.process.pid) or self._cpu
        self._forget()
        started.end()

    def _show(self, observation: Observation) -> int:
        if self._fixed and observation is self._slots[0]:
            return 0
        turn = 0 if self._fixed else 1 - self._turn
        if turn == self._pending_slot and not self._fixed:
            self.flush()
        self._write(turn, observation)
        self._turn = turn
        self._slots[turn] = observation
        return turn

    def _write(self, slot: int, observation: Observation) -> None:
        if self._shown is None:
            layout = Layout.of(parts_of(observation))
            self._shown = Shown(layout)
            self._send(described(messages.MEMORY, layout.plain))
            with contextlib.suppress(OSError):  # the next reply shows that the process is gone
                socket.send_fds(self._running().control, [b"m"], [self._shown.reading])
            self._receive(READY_REPLY)
        self._shown.write(slot, observation)

    def _forget(self) -> None:
        if self._shown is not None:
            self._shown.close()
        self._shown = None
        self._slots: list[Any] = [None, None]  # what was shown last, by slot
        self._turn = 0
        self._pending = b""  # an outcome to learn from, sent with the next question
        self._pending_slot = NOTHING
        self._outcome: tuple[Any, Layout] = (None, Layout(()))

    def _ask(self, message: bytes) -> None:
        """Send a message, and wait until it was done."""
        self._send(message)
        self._receive(READY_REPLY)

    def _running(self) -> Started:
        if self._started is None:
            raise LostError(DEATH, "its process has ended")
        return self._started

    def _wait_limits(self) -> WaitLimits:
        """The limits on the time of a message, from now on."""
        limits = self._limits
        if self._starting:
            return WaitLimits(limits.start_wall, limits.start, self.pid)
        return WaitLimits(limits.wall, limits.answer, self.pid)

    def _send(self, message: bytes) -> None:
        try:
            self._running().channel.send(message, self._wait_limits())
        except messages.LateError as late:
            self._lose(TIMEOUT, f"it read nothing for {late}")
        except messages.EndedError:
            self._lose(DEATH, "")

    def _receive(self, expected: bytes) -> bytes:
        try:
            good, data = self._running().channel.receive(expected, self._wait_limits())
        except messages.LateError as late:
            self._lose(TIMEOUT, f"no answer within {late}")
        except messages.EndedError:
            self._lose(DEATH, "")
        except messages.MalformedError as error:
            self._lose(MALFORMED, str(error))
        if self._running().channel.waited > self._limits.waiting:
            self._lose(TIMEOUT, f"the judge waited for it for {self._limits.waiting:g} s in all")
        if self._most_cpu is not None and time.monotonic() > self._next_look:
            self._next_look = time.monotonic() + _LOOK
            if (over := self.cpu_seconds() - self._most_cpu) > 0:
                self._lose(CPU, f"it used {over:.3g} s more of CPU time than its rounds may")
        if good:
            return data
        self._lose(ERROR, " ".join(visible(data.decode("utf-8", "replace")).split()))

    def _lose(self, kind: str, text: str) -> NoReturn:
        """End the process, and say why."""
        if kind == DEATH:
            kind, text = _last_words(self._running().process, self._limits)
        self.end()
        raise LostError(kind, text)


_NUMBER = reply_header(messages.NUMBER, np.dtype(np.int64), (1,))
_DESCRIPTION = reply_header(messages.DESCRIPTION, np.dtype(np.uint8), (LONGEST,))


def _folder_of(files: Mapping[str, Path]) -> str | None:
    """The folder to resolve names in, when files stay where they are (no bubblewrap)."""
    for name, path in files.items():
        return str(path.parent if name else path)
    return None


def _last_words(process: subprocess.Popen, limits: Limits) -> tuple[str, str]:
    """How a process ended: the fault's kind and text, with its output if it never started."""
    try:
        status = process.wait(ENDING)
    except subprocess.TimeoutExpired:  # it has closed its end and still runs
        return DEATH, "it closed its end of the pipe"
    number = -status if status < 0 else status - 128
    if number == signal.SIGXCPU:
        return CPU, f"its process was killed: it had used its {limits.cpu} s of CPU time"
    said = b""
    if process.stderr is not None:
        os.set_blocking(process.stderr.fileno(), False)
        said = process.stderr.read(_LONGEST_REASON) or b""
    lines = visible(said.decode("utf-8", "replace")).strip()
    reason = f": {' '.join(lines.split())[-300:]}" if lines else ""
    with contextlib.suppress(ValueError):
        return DEATH, f"its process was ended by {signal.Signals(number).name}{reason}"
    return DEATH, f"its process ended with status {status}{reason}"
