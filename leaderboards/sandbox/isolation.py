"""Finds which level of isolation this machine can reach, by trying it."""

import functools
import signal
import subprocess
from dataclasses import dataclass

import numpy as np

from banditgym.validation import visible
from leaderboards.sandbox import messages, seccomp
from leaderboards.sandbox.launch import Started, start
from leaderboards.sandbox.probes import PAUSE, PROBES, SMALL
from leaderboards.sandbox.wait_limits import WaitLimits

NONE, PROCESS, FULL = "none", "process", "full"
WALL, CPU = "wall clock", "CPU time"
# The limits that must have been shown to hold before the level is called full.
REQUIRED = (*PROBES, WALL, CPU)

_SECONDS = 60.0  # of wall-clock time, for an interpreter to start and all probes to run
_GET_IT = "install it with 'apt install bubblewrap' (Debian, Ubuntu) or 'dnf install bubblewrap'"
_ALLOW = (
    "it needs user namespaces, which this system may refuse to users other than root: "
    "'sysctl kernel.apparmor_restrict_unprivileged_userns=0' (Ubuntu), "
    "'sysctl kernel.unprivileged_userns_clone=1' (Debian), or a container with them"
)


@dataclass(frozen=True)
class Isolation:
    """What a row of results says about its agent's isolation.

    Attributes
    ----------
    level : str
        ``"none"``, in the environment's process; ``"process"``, in a separate process with the
        user's rights; ``"full"``, inside bubblewrap, where every limit of ``REQUIRED`` was shown to
        hold.
    shown : tuple of str
        The limits that were shown to hold on this machine.
    reason : str or None
        Why the level is not full, in one line, with what to do about it.
    """

    level: str
    shown: tuple[str, ...] = ()
    reason: str | None = None


@functools.cache
def isolation() -> Isolation:
    """The level of isolation that this machine can reach: tried once per process, two seconds."""
    if (reason := seccomp.missing()) is not None:
        return Isolation(PROCESS, reason=reason)
    try:
        started = start(full=True, limits=SMALL, probe=SMALL)
    except FileNotFoundError:
        return Isolation(PROCESS, reason=f"bubblewrap (bwrap) is not here: {_GET_IT}")
    except OSError as error:
        return Isolation(PROCESS, reason=f"bubblewrap does not start: {error}")
    try:
        shown, said = _shown(started)
    finally:
        started.end()
    if not shown and said.startswith("bwrap:"):
        return Isolation(PROCESS, reason=f"bubblewrap does not work here ({said}): {_ALLOW}")
    if not shown:
        return Isolation(PROCESS, reason=f"a process within bubblewrap ends at once ({said})")
    missing = [name for name in REQUIRED if name not in shown]
    if missing:
        return Isolation(PROCESS, shown, f"not shown to hold here: {', '.join(missing)}")
    return Isolation(FULL, shown)


def _shown(started: Started) -> tuple[tuple[str, ...], str]:
    """The names of the limits that held; if none were tried, the process's output instead."""
    expected = messages.reply_header(messages.NUMBER, np.dtype(np.uint8), (len(PROBES),))
    shown = []
    try:
        try:
            started.channel.receive(expected, WaitLimits(PAUSE / 10))
        except messages.LateError:
            shown.append(WALL)
        _, held = started.channel.receive(expected, WaitLimits(_SECONDS))
    except (messages.EndedError, messages.LateError, messages.MalformedError):
        started.process.kill()
        said = started.process.stderr.read(2000) if started.process.stderr else b""
        words = visible(" ".join(said.decode("utf-8", "replace").split()))
        return (), words if len(words) <= 300 else f"..{words[-300:]}"
    shown += [name for name, good in zip(PROBES, held, strict=True) if good]
    try:
        status = started.process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return tuple(shown), ""
    if status in (128 + signal.SIGXCPU, 128 + signal.SIGKILL):
        shown.append(CPU)
    return tuple(name for name in REQUIRED if name in shown), ""
