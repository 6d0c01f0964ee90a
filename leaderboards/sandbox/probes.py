"""Tries, inside the sandbox, to exceed each of its limits, and reports which limits held.

A limit that is set does not always hold: the system does not count root's processes, a kernel may
not support seals, a container may accept limits and not enforce them. So a process that is confined
like an agent's tries to exceed every limit; for this test the limits are small.
"""

import ctypes
import fcntl
import mmap
import os
import re
import resource
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable

from leaderboards.sandbox.limits import MEGABYTE, Limits
from leaderboards.sandbox.mounts import CODE, KERNELS, LIBRARIES, PARTS, SUBMISSION, SYSTEM

# The small limits that are tried.
SMALL = Limits(
    cpu=1, memory=1024 * MEGABYTE, tmp=MEGABYTE, names=64, threads=8, files=32, file=MEGABYTE // 8
)
_FOLDER = "/tmp/probes"
_OUTER = ("/proc", "/sys", "/etc", "/var", "/run")
_COMPILED = re.compile(r"\.(nbi|nbc|json)(\.|$)")  # also while it is written, under another name
_OF_NUMBA = re.compile(r"/([^/]+)/\1_[0-9a-f]{40}$")  # a source's folder, and that with a hash
PAUSE = 0.5  # seconds of silence at first, which the judge must notice
_FUTEX, _FUTEX_WAKE = 202, 1
_NEW_NAMESPACES = (0x10000000, 0x00020000, 0x40000000, 0x20000000)  # user, mount, network, pid
_KNOWN = {"HOME", "LANG", "LC_CTYPE", "PWD", "NUMBA_CACHE_DIR", "BANDITGYM_KERNELS", "MPLBACKEND"}
_KNOWN |= {"VECLIB_MAXIMUM_THREADS"}


def run(up: int, limits: Limits) -> None:
    """Try the limits, answer with a byte for each of ``PROBES``, and use up the CPU time.

    Run it only inside the sandbox: many probes would do harm outside.
    """
    time.sleep(PAUSE)
    os.mkdir(_FOLDER)
    held = bytes(_holds(probe, limits) for probe in PROBES.values())
    # As protocol.array_reply writes it; numpy would not fit into the probes' memory.
    os.write(up, struct.pack("<IBBBB4I", len(held), 103, 0, 1, 0, len(held), 0, 0, 0) + held)
    while True:
        pass


def _holds(probe: Callable[[Limits], bool], limits: Limits) -> bool:
    try:
        return probe(limits)
    except (OSError, MemoryError):
        return False


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return True
    return False


def _processes(limits: Limits) -> bool:
    def born() -> None:
        if os.fork() == 0:
            os._exit(0)

    return _refused(born) and _refused(lambda: os.execv("/proc/self/exe", ["python"]))


def _threads(limits: Limits) -> bool:
    gate, begun = threading.Event(), []
    try:
        for _ in range(2 * limits.threads):
            thread = threading.Thread(target=gate.wait, daemon=True)
            thread.start()
            begun.append(thread)
    except RuntimeError:
        return 0 < len(begun) <= limits.threads
    finally:
        gate.set()
        for thread in begun:
            thread.join()
    return False


def _memory(limits: Limits) -> bool:
    fine = len(bytearray(limits.memory // 8)) > 0
    try:
        bytearray(limits.memory)
    except MemoryError:
        return fine
    return False


def _unseen_memory(limits: Limits) -> bool:
    """Whether memory that counts towards no address space is refused."""
    libc = ctypes.CDLL(None)
    return libc.shmget(0, MEGABYTE, 0o1600) == -1 and _refused(lambda: os.memfd_create("more"))


def _files(limits: Limits) -> bool:
    held = []
    try:
        for _ in range(2 * limits.files):
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return 0 < len(held) <= limits.files
    finally:
        for number in held:
            os.close(number)
    return False


def _file_size(limits: Limits) -> bool:
    with open(f"{_FOLDER}/large", "wb", buffering=0) as file:
        written = file.write(bytes(limits.file))
        over = _refused(lambda: file.write(b"x"))
    os.unlink(f"{_FOLDER}/large")
    return written == limits.file and over


def _tmp(limits: Limits) -> bool:
    piece, count = bytes(limits.file), 2 * limits.tmp // limits.file

    def fill() -> None:
        for i in range(count):
            with open(f"{_FOLDER}/{i}", "wb", buffering=0) as file:
                if file.write(piece) < len(piece):
                    raise OSError("no space")

    over = _refused(fill)
    return _emptied() > 1 and over


def _names(limits: Limits) -> bool:
    over = _refused(
        lambda: [os.close(os.open(f"{_FOLDER}/{i}", os.O_CREAT)) for i in range(2 * limits.names)]
    )
    return 0 < _emptied() <= limits.names and over


def _emptied() -> int:
    """Delete the files of the folder; returns how many there were."""
    made = os.listdir(_FOLDER)
    for name in made:
        os.unlink(f"{_FOLDER}/{name}")
    return len(made)


def _raised(limits: Limits) -> bool:
    """Whether no limit can be raised again."""

    def higher(kind: int) -> None:
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (soft + 1, hard + 1))

    kinds = (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE)
    for kind in kinds:
        try:
            higher(kind)
        except (ValueError, OSError):
            continue
        return False
    return True


def _network(limits: Limits) -> bool:
    families = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16)  # and AF_NETLINK
    return all(_refused(lambda: socket.socket(kind, socket.SOCK_STREAM)) for kind in families)  # noqa: B023 (called at once)


def _namespaces(limits: Limits) -> bool:
    libc = ctypes.CDLL(None)
    return os.getpid() < 10 and all(libc.unshare(kind) == -1 for kind in _NEW_NAMESPACES)


def _rights(limits: Limits) -> bool:
    """Whether no capability is left and the user id cannot be changed."""
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[1] * 6)
    if ctypes.CDLL(None).capget(header, data) != 0 or any(data):
        return False
    return os.getuid() != 0 and _refused(lambda: os.setuid(0)) and _refused(lambda: os.setgid(0))


def _signals(limits: Limits) -> bool:
    return _refused(lambda: os.kill(1, 0)) and _refused(lambda: os.kill(-1, 0))


def _read_only(limits: Limits) -> bool:
    places = ("/", "/dev", CODE, f"{CODE}/agents", KERNELS, SUBMISSION)
    new = [
        _refused(lambda: os.close(os.open(f"{place}/mine", os.O_CREAT | os.O_WRONLY)))  # noqa: B023 (called at once)
        for place in places
    ]
    ours = f"{CODE}/agents/__init__.py"
    return (
        all(new)
        and _refused(lambda: os.close(os.open(ours, os.O_WRONLY)))
        and all(_refused(lambda: os.utime(f"/dev/{name}")) for name in os.listdir("/dev"))  # noqa: B023 (called at once)
    )


def _messages(limits: Limits) -> bool:
    """Whether no message reaches another sandbox by locks on a file, or by waiting at it."""
    number = os.open(f"{CODE}/agents/__init__.py", os.O_RDONLY)
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, number, 0)
    woken = libc.syscall(_FUTEX, ctypes.c_void_p(page), _FUTEX_WAKE, 1)
    locks = (fcntl.flock, fcntl.lockf)
    shared = fcntl.LOCK_SH | fcntl.LOCK_NB
    refused = all(_refused(lambda: lock(number, shared)) for lock in locks)  # noqa: B023 (called at once)
    os.close(number)
    return refused and woken == -1 and libc.sysinfo(ctypes.create_string_buffer(256)) == -1


def _hidden(limits: Limits) -> bool:
    """Whether only what was mounted is visible: no processes, settings, outer variables or data."""
    known = all(name.endswith("_NUM_THREADS") or name in _KNOWN for name in os.environ)
    return known and not any(map(os.path.exists, _OUTER)) and not _strange()


def _strange() -> list[str]:
    """What is visible and is none of the interpreter, its packages, our code and compiled code."""
    python = os.path.realpath(sys.executable)
    base = python if sys.base_prefix in SYSTEM else sys.base_prefix
    mounted = {"/tmp", "/dev", KERNELS, base, *LIBRARIES, *sys.path}
    mounted |= {f"{CODE}/{part}" for part in PARTS}
    above = {parent for place in mounted for parent in _parents(place)}
    folders = [folder for folder in above if not mounted & {folder, *_parents(folder)}]
    found = [f"{folder.rstrip('/')}/{name}" for folder in folders for name in _names_in(folder)]
    found = [path for path in found if path not in mounted | above | {SUBMISSION}]
    for name in _names_in(KERNELS):
        if not name.startswith("compiled-") or not _is_compiled(f"{KERNELS}/{name}"):
            found.append(f"{KERNELS}/{name}")
    # The judge's package, which may be installed beside others: of ours only CODE has it.
    packages = [f"{path}/leaderboards" for path in sys.path if path != CODE]
    return found + [path for path in packages if _names_in(path)]


def _is_compiled(top: str) -> bool:
    """Whether a folder holds files of compiled code alone, in it or in folders that numba names.

    The folders above those may have any name.
    """
    for folder, inner, names in os.walk(top):
        if not (folder == top or _OF_NUMBA.search(folder) or (inner and not names)):
            return False
        if any(os.path.islink(f"{folder}/{name}") for name in inner):
            return False
        if not all(map(_COMPILED.search, names)):
            return False
    return True


def _parents(place: str) -> list[str]:
    parts = place.split("/")
    return ["/".join(parts[:i]) or "/" for i in range(1, len(parts))]


def _names_in(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


# By the names that rows of results use.
PROBES: dict[str, Callable[[Limits], bool]] = {
    "memory": _memory,  # before threads, which reserve address space
    "processes": _processes,
    "threads": _threads,
    "unseen memory": _unseen_memory,
    "open files": _files,
    "file size": _file_size,
    "size of /tmp": _tmp,
    "names in /tmp": _names,
    "limits stay": _raised,
    "network": _network,
    "namespaces": _namespaces,
    "rights": _rights,
    "signals": _signals,
    "read-only": _read_only,
    "no messages": _messages,
    "hidden": _hidden,
}
