"""A filter of system calls, which the agent's process loads before any of the agent's code.

It lists the calls that an interpreter, numpy, scipy, scikit-learn, numba and threads need. Every
other call fails with EPERM, including calls that later kernels add. The filter can never be
removed. The agent has no other process and no memory outside its own, so limits per process limit
the whole. The filter is written by hand for x86-64 in the kernel's classic BPF [1]_, so it needs no
library that might be missing.

Calls that are not on the list, with the reason where it is not obvious:

- fork, exec, and clone() with any flags but those of a thread: one process, this program. Threads
  without shared files would each have open files of their own.
- socket(), and socketpair() of all but the Unix family: for others the kernel would load modules.
  sendto() and sendmsg(), which could hand over open files.
- memory that RLIMIT_AS does not count: memfd, System V and POSIX shared memory and queues, timers,
  asynchronous input and output (io_setup, io_uring), longer pipes (F_SETPIPE_SZ).
- sync() and syncfs(), which keep the disks of the whole machine busy.
- kill() and similar calls; tgkill(), by which a thread raises a signal, is limited to this process.
- ioctl(), fcntl() and prctl(), except for the few commands that files and threads need.
- what two sandboxes could tell one another by. All of them see the same files, so locks on files
  (flock, fcntl) fail with ENOLCK, as on a disk that has none, and futex() is for threads of the
  process itself: on memory that maps a file it would wake, and count, those of others. A shared
  wait fails with EAGAIN: glibc, which joins a thread by it, then looks again whether it has ended.
  sysinfo() tells the load and the free memory of the whole machine, preadv2() what is in its page
  cache.

References
----------
.. [1] Linux, Documentation/userspace-api/seccomp_filter.rst.
"""

import ctypes
import errno
import os
import platform
import struct

# Numbers of arch/x86/entry/syscalls/syscall_64.tbl.
ALLOWED = {
    # The most frequent calls first: kernels before 5.11 search the list at every call.
    "read": 0, "write": 1, "poll": 7, "clock_gettime": 228, "mmap": 9, "munmap": 11,
    # Memory of the process itself.
    "mprotect": 10, "brk": 12, "mremap": 25, "msync": 26, "madvise": 28,
    # Files: /tmp is bounded, and everything else is read-only.
    "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "lseek": 8, "pread64": 17,
    "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "dup": 32, "dup2": 33, "sendfile": 40,
    "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "getdents": 78,
    "getcwd": 79, "chdir": 80, "fchdir": 81, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85,
    "link": 86, "unlink": 87, "symlink": 88, "readlink": 89, "chmod": 90, "fchmod": 91,
    "chown": 92, "fchown": 93, "lchown": 94, "umask": 95, "utime": 132, "statfs": 137,
    "fstatfs": 138, "getxattr": 191, "lgetxattr": 192, "fgetxattr": 193, "listxattr": 194,
    "llistxattr": 195, "flistxattr": 196, "getdents64": 217, "fadvise64": 221, "utimes": 235,
    "openat": 257, "mkdirat": 258, "fchownat": 260, "futimesat": 261, "newfstatat": 262,
    "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266, "readlinkat": 267,
    "fchmodat": 268, "faccessat": 269, "utimensat": 280, "fallocate": 285, "dup3": 292,
    "preadv": 295, "pwritev": 296, "renameat2": 316, "copy_file_range": 326, "statx": 332,
    "close_range": 436, "openat2": 437, "faccessat2": 439,
    "fchmodat2": 452,
    # Waiting, and time.
    "select": 23, "nanosleep": 35, "pause": 34, "getitimer": 36, "alarm": 37, "setitimer": 38,
    "gettimeofday": 96, "times": 100, "time": 201, "epoll_create": 213, "clock_getres": 229,
    "clock_nanosleep": 230, "epoll_wait": 232, "epoll_ctl": 233, "pselect6": 270, "ppoll": 271,
    "epoll_pwait": 281, "eventfd": 284, "eventfd2": 290, "epoll_create1": 291,
    "epoll_pwait2": 441, "pipe": 22, "pipe2": 293,
    # Threads and signals.
    "sched_yield": 24, "exit": 60, "exit_group": 231, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "rt_sigpending": 127, "rt_sigtimedwait": 128, "rt_sigsuspend": 130,
    "sigaltstack": 131, "arch_prctl": 158, "set_tid_address": 218, "restart_syscall": 219,
    "set_robust_list": 273, "get_robust_list": 274, "membarrier": 324, "rseq": 334,
    "wait4": 61, "waitid": 247,
    # Information about the process and the machine.
    "getpid": 39, "uname": 63, "getrlimit": 97, "getrusage": 98, "getuid": 102,
    "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111,
    "getgroups": 115, "getresuid": 118, "getresgid": 120, "getpgid": 121, "getsid": 124,
    "capget": 125, "getpriority": 140, "sched_getparam": 143, "sched_getscheduler": 145,
    "sched_get_priority_max": 146, "sched_get_priority_min": 147, "gettid": 186,
    "sched_getaffinity": 204, "getcpu": 309, "getrandom": 318,
    # Calls for its one socket, which receives shared memory.
    "recvfrom": 45, "recvmsg": 47, "getsockname": 51, "getpeername": 52, "getsockopt": 55,
}  # fmt: skip
_AF_UNIX = 1
_THREAD = 0x3D0F00  # the flags of glibc's threads; musl adds one that does nothing
_PRIVATE, _REALTIME = 128, 256  # flags of futex(): of this process alone, by the clock of the day
# Calls that are allowed for some values of one argument: number, which argument, the values.
RESTRICTED: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "futex": (202, 1, tuple(f | c for f in (_PRIVATE, _PRIVATE | _REALTIME) for c in range(14))),
    "clone": (56, 0, (_THREAD, _THREAD | 0x400000)),
    "socketpair": (53, 0, (_AF_UNIX,)),
    # TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    "ioctl": (16, 1, (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # F_DUPFD .. F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_GET_SEALS
    "fcntl": (72, 1, (0, 1, 2, 3, 4, 1030, 1032, 1034)),
    # PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
    # PR_GET_NO_NEW_PRIVS, PR_SET_VMA
    "prctl": (157, 0, (3, 15, 16, 21, 23, 39, 0x53564D41)),
    "prlimit64": (302, 0, (0,)),  # of this process, whose limits can only be lowered
}
# Other values of that argument that fail with an error of their own, not with EPERM.
ANSWERED: dict[str, tuple[int, tuple[int, ...]]] = {
    "futex": (errno.EAGAIN, (0, 9, 9 | _REALTIME)),  # FUTEX_WAIT, FUTEX_WAIT_BITSET
    # F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW
    "fcntl": (errno.ENOLCK, (5, 6, 7, 36, 37, 38)),
}
_FLOCK, _TGKILL = 73, 234
# Calls that glibc can do without if they fail with ENOSYS: clone3(), whose flags no filter can
# read, and every call that is newer than this list.
_CLONE3, _NEWEST = 435, 452
_X86_64, _X32 = 0xC000003E, 0x40000000
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def missing() -> str | None:
    """Why this machine has no filter, in one line; None if the filter is written for it."""
    here = f"{platform.system()} on {platform.machine()}"
    if here == "Linux on x86_64":
        return None
    return f"the filter of system calls is written for Linux on x86-64 alone, and this is {here}"


def program(pid: int) -> bytes:
    """The filter, eight bytes an instruction.

    Parameters
    ----------
    pid : int
        Id of the process that it is for, in that process's own namespace.
    """
    refuse, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    lines: list[tuple[int, int, int, int]] = [  # operation, jump if true, if false, operand
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),  # the calls of other architectures have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    # The calls with arguments first, because futex() is the most frequent of all.
    for name, (number, argument, values) in {**RESTRICTED, "tgkill": (_TGKILL, 0, (pid,))}.items():
        error, others = ANSWERED.get(name, (0, ()))
        answers = dict.fromkeys(values, _ALLOW) | dict.fromkeys(others, _ERRNO | error)
        lines.append((_EQUAL, 0, 2 * len(answers) + 2, number))
        # The lower half: the kernel reads each of these arguments as a 32-bit integer.
        lines.append((_LOAD, 0, 0, _ARGUMENTS + 8 * argument))
        for value, answer in answers.items():
            lines += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, answer)]
        lines.append((_RETURN, 0, 0, refuse))
    for number in ALLOWED.values():
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines += [
        (_EQUAL, 0, 1, _FLOCK),
        (_RETURN, 0, 0, _ERRNO | errno.ENOLCK),
        (_EQUAL, 1, 0, _CLONE3),
        (_AT_LEAST, 0, 1, _NEWEST + 1),
        (_RETURN, 0, 0, missing),
        (_RETURN, 0, 0, refuse),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def load() -> None:
    """Apply the filter to this process and to all threads that it starts.

    Raises
    ------
    OSError
        If the system does not accept the filter.
    """
    code = program(os.getpid())
    held = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    filled = Program(len(code) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filled), 0, 0),
    ):
        if libc.prctl(*call) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"the filter of system calls: {os.strerror(number)}")
