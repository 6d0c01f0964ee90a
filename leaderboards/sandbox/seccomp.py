"""A filter of system calls, loaded by the agent's process itself before any of the agent's code.

What the filter refuses fails with EPERM, as if the user had no right to it; it can never be taken
off again. With no other process and no other memory than the process's own, limits per process are
limits on the whole. Written by hand for x86-64, in the kernel's classic BPF [1]_: no library is
needed that might be missing.

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
REFUSED = {
    "fork": 57, "vfork": 58, "execve": 59, "execveat": 322,  # one process, this program
    "kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "pidfd_open": 434, "pidfd_getfd": 438,
    "pidfd_send_signal": 424,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440,
    "kcmp": 312,
    "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "sendmsg": 46, "bind": 49,
    "listen": 50, "accept4": 288, "sendmmsg": 307,  # nobody to talk to
    "memfd_create": 319, "memfd_secret": 447,  # memory that RLIMIT_AS does not count
    "shmget": 29, "shmat": 30, "shmctl": 31, "semget": 64, "semop": 65, "semctl": 66,
    "semtimedop": 220, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "mq_open": 240,
    "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442,
    "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "fanotify_init": 300, "inotify_init": 253,
    "inotify_init1": 294, "add_key": 248, "request_key": 249, "keyctl": 250, "quotactl": 179,
    "kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313,
    "delete_module": 176, "acct": 163, "swapon": 167, "swapoff": 168, "reboot": 169,
    "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "settimeofday": 164,
    "clock_settime": 227, "adjtimex": 159, "clock_adjtime": 305, "syslog": 103, "personality": 135,
    "modify_ldt": 154, "lookup_dcookie": 212, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "move_pages": 279, "migrate_pages": 256, "mbind": 237, "set_mempolicy": 238, "vhangup": 153,
    "uselib": 134, "nfsservctl": 180, "ustat": 136, "sysfs": 139, "_sysctl": 156,
    "timer_create": 222,  # unlike other timers, these are not limited by anything of ours
    "vmsplice": 278, "splice": 275, "tee": 276,
    "landlock_create_ruleset": 444, "seccomp": 317,
}  # fmt: skip
_CLONE, _CLONE3, _THREAD = 56, 435, 0x00010000
_X86_64, _X32 = 0xC000003E, 0x40000000
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def available() -> bool:
    """Whether the filter is written for this machine."""
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def program() -> bytes:
    """The filter, eight bytes an instruction."""
    refuse = _ERRNO | errno.EPERM
    lines: list[tuple[int, int, int, int]] = [  # operation, jump if true, if false, operand
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),  # the calls of other architectures have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        # glibc takes clone() where there is no clone3(), whose flags no filter can read.
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_EQUAL, 0, 4, _CLONE),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _THREAD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, refuse),
    ]
    for number in sorted(REFUSED.values()):
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def load() -> None:
    """Put this process under the filter, and all threads that it starts.

    Raises
    ------
    OSError
        If the system does not take it.
    """
    code = program()
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
