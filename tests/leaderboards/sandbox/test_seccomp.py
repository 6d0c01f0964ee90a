"""The filter's program, run by an interpreter here and by the kernel in sandbox tests."""

import errno
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboards.sandbox import seccomp

ALLOW, KILL, REFUSE, MISSING, NO_LOCKS, AGAIN = (
    0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS,
    0x00050000 | errno.ENOLCK, 0x00050000 | errno.EAGAIN,
)  # fmt: skip
X86_64, I386 = 0xC000003E, 0x40000003
PID = 7
KILLING = {"kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297}
OTHERS = KILLING | {
    "socket": 41, "connect": 42, "sendto": 44, "sendmsg": 46, "bind": 49, "fork": 57, "vfork": 58,
    "execve": 59, "execveat": 322, "ptrace": 101, "shmget": 29, "memfd_create": 319, "sync": 162,
    "syncfs": 306, "io_setup": 206, "io_uring_setup": 425, "timer_create": 222, "mount": 165,
    "unshare": 272, "setns": 308, "seccomp": 317, "bpf": 321, "userfaultfd": 323, "keyctl": 250,
    "personality": 135, "setuid": 105, "mknod": 133, "process_vm_readv": 310, "setpriority": 141,
    "sched_setaffinity": 203, "ioprio_set": 251, "mlock": 149, "setrlimit": 160, "mincore": 27,
    "sysinfo": 99, "preadv2": 327, "pwritev2": 328, "futex_waitv": 449,
}  # fmt: skip


def said(number, *arguments, architecture=X86_64):
    """What the program answers to a call."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *given)
    code = seccomp.program(PID)
    held, at = 0, 0
    while True:
        operation, yes, no, operand = struct.unpack_from("=HBBI", code, 8 * at)
        at += 1
        if operation == 0x20:
            (held,) = struct.unpack_from("=I", data, operand)
        elif operation == 0x15:
            at += yes if held == operand else no
        elif operation == 0x35:
            at += yes if held >= operand else no
        else:
            assert operation == 0x06
            return operand


def test_what_is_on_the_list_is_allowed_and_nothing_else_is():
    allowed = set(seccomp.ALLOWED.values())
    some = {number for number, _, _ in seccomp.RESTRICTED.values()} | {73, 234, 435}
    assert len(allowed) == len(seccomp.ALLOWED)
    assert not allowed & some
    assert not (allowed | some) & set(OTHERS.values())
    for number in range(453):
        expected = ALLOW if number in allowed else REFUSE
        if number not in some:
            assert said(number, 2**32 - 1) == expected, number


def test_what_is_newer_than_the_list_is_missing_as_on_an_older_kernel():
    for number in (435, 453, 462, 600, 0x3FFFFFFF):
        assert said(number) == MISSING


def test_calls_of_other_architectures_end_the_process():
    assert said(0, architecture=I386) == KILL
    for number in (0x40000000, 0x40000000 + 59, 0xFFFFFFFF):
        assert said(number) == KILL


@pytest.mark.parametrize("name", seccomp.RESTRICTED)
def test_some_calls_are_allowed_for_some_values_of_an_argument(name):
    number, place, values = seccomp.RESTRICTED[name]
    before = [2**32 - 1] * place
    for value in values:
        assert said(number, *before, value) == ALLOW
        # The kernel reads no more than 32 bits.
        assert said(number, *before, value | 1 << 32) == ALLOW
        assert said(number, *before, value ^ 1 << 31) == REFUSE
    assert said(number, *before, 2**32 - 1) == REFUSE


def test_files_have_no_locks_as_on_a_disk_without_them():
    assert said(73) == NO_LOCKS  # flock
    for command in (5, 6, 7, 36, 37, 38):  # F_GETLK, F_SETLK, F_SETLKW, and those of open files
        assert said(72, 3, command) == NO_LOCKS
    for command in (8, 9, 10, 1024, 1026):  # F_SETOWN, .. F_SETLEASE, F_NOTIFY
        assert said(72, 3, command) == REFUSE


def test_threads_wait_for_and_wake_those_of_their_process_alone():
    """Of threads that wait at a file, those of all processes would be woken and counted."""
    for command in range(14):
        assert said(202, 0, command | 128) == ALLOW
        assert said(202, 0, command | 128 | 256) == ALLOW
        shared = AGAIN if command in (0, 9) else REFUSE
        assert said(202, 0, command) == shared


def test_threads_may_be_started_and_no_process_or_namespace():
    thread = 0x3D0F00
    assert said(56, thread) == ALLOW
    for flags in (
        17,  # a fork
        thread & ~0x10000,  # a process that shares memory
        thread & ~0x400,  # a thread with open files of its own
        *[thread | new for new in (0x20000, 0x10000000, 0x20000000, 0x40000000, 0x2000000)],
    ):
        assert said(56, flags) == REFUSE


def test_a_signal_reaches_this_process_alone():
    assert said(234, PID, PID, 6) == ALLOW
    for other in (1, PID + 1, 2**32 - 1, 0):
        assert said(234, other, other, 6) == REFUSE


def test_the_numbers_are_those_of_the_system():
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    known = {}
    text = header.read_text() if header.exists() else ""
    for line in text.splitlines():
        if line.startswith("#define __NR_"):
            _, name, number = line.split()
            known[name.removeprefix("__NR_")] = int(number)
    ours = seccomp.ALLOWED | OTHERS
    ours |= {name: number for name, (number, _, _) in seccomp.RESTRICTED.items()}
    for name, number in ours.items():
        assert known.get(name, number) == number, name


LOADED = """
import ctypes, os, signal, threading
from leaderboards.sandbox import seccomp
seccomp.load()
libc = ctypes.CDLL(None, use_errno=True)
def tried(*call):
    ctypes.set_errno(0)
    return libc.syscall(*map(ctypes.c_long, call)) >= 0, ctypes.get_errno()
print([tried(*call) for call in ((39,), (162,), (306, 0), (53, 30, 1, 0, 0), (206, 1, 0), (600,))])
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
signal.signal(signal.SIGUSR1, lambda *_: print("signal")); signal.raise_signal(signal.SIGUSR1)
"""


@pytest.mark.skipif(seccomp.missing() is not None, reason="the filter is for Linux on x86-64")
def test_a_process_that_loads_it_keeps_threads_and_signals_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=300
    )
    refused = (False, errno.EPERM)
    answers = [(True, 0), refused, refused, refused, refused, (False, errno.ENOSYS)]
    assert done.stdout.splitlines() == [str(answers), "thread", "signal"], done.stderr
