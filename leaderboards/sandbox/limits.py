"""The limits of an agent's process, and how the process sets them on itself irreversibly."""

import ctypes
import math
import os
import resource
from dataclasses import dataclass, replace

from leaderboards.sandbox import seccomp

MEGABYTE = 1 << 20

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT, _MS_BIND = 1, 2, 4, 8, 32, 4096
_CLONE_NEWUSER = 0x10000000
_PR_CAPBSET_DROP, _PR_SET_DUMPABLE = 24, 4
_CAPABILITY_VERSION = 0x20080522


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The resource class of an agent's process.

    An agent has only one process (``seccomp``), so limits per process limit the sum. Its memory is
    its address space plus the files that it may write to /tmp.

    Parameters
    ----------
    cpu : int
        CPU seconds for everything except the rounds, or for everything if ``cpu_per_round`` is
        None; after that the process is killed.
    cpu_per_round : float or None
        CPU seconds per round and replicate, averaged over an episode; using more is a fault.
    memory : int
        Bytes of address space.
    tmp : int
        Bytes of all files in /tmp together.
    names : int
        Number of files and folders in /tmp.
    threads : int
        Number of threads at one time.
    files : int
        Number of open files.
    file : int
        Bytes of one file.
    answer : float
        CPU seconds that the answer to one message may take.
    wall : float
        Wall-clock seconds that one answer may take. An agent that sleeps uses no CPU time; one
        that computes also waits on a loaded machine, so this is many times ``answer``.
    waiting : float
        Wall-clock seconds that all answers may take together.
    start : float
        CPU seconds for imports, for ``reset``, and for each message of the warm-up.
    start_wall : float
        Wall-clock seconds for each of these.
    """

    cpu: int = 600
    cpu_per_round: float | None = None
    memory: int = 4096 * MEGABYTE
    tmp: int = 64 * MEGABYTE
    names: int = 4096
    threads: int = 20
    files: int = 64
    file: int = 16 * MEGABYTE
    answer: float = 10.0
    wall: float = 100.0
    waiting: float = 6000.0
    start: float = 120.0
    start_wall: float = 1200.0

    def of_game(self, n: int, horizon: int | None) -> "Limits":
        """These limits with the CPU seconds of a process that plays n replicates."""
        rounds = self.for_rounds(n, horizon)
        return self if rounds is None else replace(self, cpu=self.cpu + math.ceil(rounds))

    def for_rounds(self, n: int, horizon: int | None) -> float | None:
        """CPU seconds that n replicates' rounds may take together; None if there is no limit."""
        if self.cpu_per_round is None or horizon is None:
            return None
        return self.cpu_per_round * n * horizon


def set_limits(limits: Limits) -> None:
    """Set the limits that the system enforces, as hard limits: they can only be lowered."""
    for kind, most in {
        resource.RLIMIT_CPU: limits.cpu,
        resource.RLIMIT_AS: limits.memory,
        resource.RLIMIT_NPROC: limits.threads,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 64,
        resource.RLIMIT_RTPRIO: 0,
    }.items():
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # One second between SIGXCPU, which tells the reason, and SIGKILL.
        resource.setrlimit(kind, (most, most + (kind == resource.RLIMIT_CPU)))


def lock_down(limits: Limits, user: int | None) -> None:
    """Give up, irreversibly, all rights that the agent must not have.

    The agent's process calls this inside bubblewrap, before it imports any of the agent's code.

    Parameters
    ----------
    user : int or None
        If the process is the system's root: an unused id of a user and group to change to. The
        system does not count root's processes, and would let root read root's files. None in a user
        namespace that bubblewrap made.

    Raises
    ------
    OSError
        If the system refuses any of it.
    """
    _mount_tmp(limits, os.getuid() if user is None else user)
    _fix_devices()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        _call("unshare", _CLONE_NEWUSER)
    _drop_capabilities()
    _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)
    set_limits(limits)
    seccomp.load()


def _mount_tmp(limits: Limits, user: int) -> None:
    options = f"size={limits.tmp},nr_inodes={limits.names},mode=0700,uid={user},gid={user}"
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _call("mount", b"tmpfs", b"/tmp", b"tmpfs", flags, options.encode())


def _fix_devices() -> None:
    """Make the devices' files read-only: all sandboxes see them, and could set their times.

    A device can still be written to. Bubblewrap cannot do this: its read-only files are no devices.
    """
    flags = _MS_BIND | _MS_REMOUNT | _MS_RDONLY | _MS_NOSUID | _MS_NOEXEC
    for device in os.listdir("/dev"):
        _call("mount", None, f"/dev/{device}".encode(), None, flags, None)


def _drop_capabilities() -> None:
    """Drop all of them irreversibly: a user namespace begins with the full set."""
    libc = ctypes.CDLL(None, use_errno=True)
    capability = 0
    while libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
