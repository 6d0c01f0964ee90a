"""An agent that attacks its judge, and a decoy judge with decoy secrets, as a program.

Run as a program it plays the agent and prints the result of each attack. An attack returns what it
obtained, and raises if it was refused.
"""

import ctypes
import fcntl
import gc
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents import Agent
from banditgym.tasks import LinearTask

SECRET = "decoy-7f3a"  # every decoy secret holds it; the judge puts it together while it runs
_SECRET = SECRET.encode()
ROUND = 3
_PTRACE_SEIZE = 0x4206


def read_environment(target):
    return _found(Path(f"/proc/{_judge(target)}/environ").read_bytes())


def read_command_line(target):
    return _found(Path(f"/proc/{_judge(target)}/cmdline").read_bytes())


def read_memory(target):
    pid = _judge(target)
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            if not line.split()[1].startswith("rw") or line.split()[4] != "0":
                continue
            memory.seek(first)
            data = memory.read(min(last - first, 1 << 26))
            at = data.find(f"memory-{SECRET}".encode())
            if at >= 0:
                return data[at : at + 20].decode()
    raise PermissionError("not found")


def trace(target):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_PTRACE_SEIZE, _judge(target), None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "attached"


def find_theta(target):
    for thing in gc.get_objects():
        theta = getattr(thing, "_theta", None) if type(thing).__module__ == _LINEAR else None
        if isinstance(theta, np.ndarray):
            return theta.ravel()[:3].tolist()
    raise PermissionError("no environment here")


def find_theta_in_frames(target):
    frame = sys._getframe()
    while frame is not None:
        for thing in frame.f_locals.values():
            theta = getattr(getattr(thing, "unwrapped", thing), "_theta", None)
            if isinstance(theta, np.ndarray):
                return theta.ravel()[:3].tolist()
        frame = frame.f_back
    raise PermissionError("no environment here")


def patch_environment(target):
    """Only where the judge has loaded it: a patch of one's own copy changes nothing."""
    cls = sys.modules[_LINEAR].LinearBandit if _LINEAR in sys.modules else None
    if cls is None:
        raise PermissionError("no environment here")
    cls.patched_by_the_agent = True
    return "patched"


def connect(target):
    with socket.create_connection(("127.0.0.1", target["port"]), timeout=5) as found:
        return found.recv(100).decode()


def read_file(target):
    return _found(Path(target["secret"]).read_bytes())


def list_store(target):
    return os.listdir(Path(target["secret"]).parent)


def write_outside(target):
    Path(target["secret"]).with_name("written").write_text("mine")
    return "written"


def signal_parent(target):
    os.kill(_judge(target), signal.SIGUSR1)
    return "sent"


def signal_everyone(target):
    os.kill(-1, 0)  # 0: to see whether it may, and nothing more
    return "may"


def fork(target):
    children = []
    try:
        for _ in range(64):
            child = os.fork()
            if child == 0:
                time.sleep(20)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"{len(children)} children"


def leave_daemon(target):
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, str(os.getpid()).encode())
            time.sleep(30)
        os._exit(0)
    os.wait()
    return int(os.read(reading, 20))


def start_program(target):
    return os.posix_spawn("/bin/true", ["true"], {})


def start_threads(target):
    gate = threading.Event()
    threads = [threading.Thread(target=gate.wait, daemon=True) for _ in range(64)]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError as error:
        raise PermissionError(str(error)) from None
    finally:
        gate.set()
    return "64 threads"


def take_memory(target):
    try:
        taken = bytearray(3 << 30)  # of zeros that nobody writes: the machine never has to hold it
    except MemoryError as error:
        raise PermissionError("no memory") from error
    return len(taken)


def take_hidden_memory(target):
    number = os.memfd_create("hidden")
    try:
        os.ftruncate(number, 3 << 30)
    finally:
        os.close(number)
    return "3 GB"


def flush_disks(target):
    """Keep the disks of everybody busy; once, here."""
    if ctypes.CDLL(None, use_errno=True).syscall(162) != 0:  # sync(): glibc reports no error
        raise OSError(ctypes.get_errno(), "sync")
    return "flushed"


def take_queues(target):
    """Take a queue of asynchronous input and output; the system limits their total number."""
    libc, queue = ctypes.CDLL(None, use_errno=True), ctypes.c_ulong(0)
    if libc.syscall(206, 1, ctypes.byref(queue)) != 0:  # io_setup()
        raise OSError(ctypes.get_errno(), "io_setup")
    libc.syscall(207, queue)  # io_destroy()
    return "a queue"


def fill_tmp(target):
    place = Path(f"/tmp/{target['mark']}-large")
    try:
        with open(place, "wb") as file:
            file.truncate(0)
            for _ in range(100):
                file.write(bytes(1 << 20))
    except OSError as error:
        raise PermissionError(str(error)) from None
    finally:
        place.unlink()
    return "100 MB"


def nest_namespaces(target):
    if ctypes.CDLL(None, use_errno=True).unshare(0x20000) != 0:  # of mounts, one's own alone
        raise OSError(ctypes.get_errno(), "unshare")
    return "unshared"


def poison_cache(target):
    for folder in os.environ["BANDITGYM_KERNELS"].split(os.pathsep):
        Path(folder, target["mark"]).write_text("code")
    return "written"


def search_kernels(target):
    """Read all files of the folders that compiled code is in, and of those around them."""
    named = os.environ["BANDITGYM_KERNELS"].split(os.pathsep) + [os.environ["NUMBA_CACHE_DIR"]]
    for folder in named:
        for path in Path(folder).rglob("*"):
            if path.is_file() and _SECRET in path.read_bytes():
                return _found(path.read_bytes())
    raise PermissionError("nothing there")


def lock_a_file(target):
    """Of those that all sandboxes see: another one would find it locked."""
    with open(ctypes.__file__) as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return "locked"


def lock_a_byte(target):
    with open(ctypes.__file__) as file:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 7)
    return "locked"


def lock_a_byte_of_an_open_file(target):
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 7, 1, 0)
    with open(ctypes.__file__) as file:
        fcntl.fcntl(file, 37, lock)  # F_OFD_SETLK
    return "locked"


def ask_for_locks(target):
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 7, 1, 0)
    with open(ctypes.__file__) as file:
        return fcntl.fcntl(file, fcntl.F_GETLK, lock)[0]


def wake_those_at_a_file(target):
    """Count the threads, of any process, that wait at a page of a file."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    with open(ctypes.__file__) as file:
        page = libc.mmap(None, 4096, 1, 1, file.fileno(), 0)  # to read, shared
    woken = libc.syscall(202, ctypes.c_void_p(page), 1, 9)  # FUTEX_WAKE
    if woken < 0:
        raise OSError(ctypes.get_errno(), "futex")
    return f"{woken} woken"


def set_times(target):
    """Of a device that all sandboxes see."""
    os.utime(os.devnull)
    return "set"


def see_load(target):
    if ctypes.CDLL(None, use_errno=True).sysinfo(ctypes.create_string_buffer(256)) != 0:
        raise OSError(ctypes.get_errno(), "sysinfo")
    return "seen"


def keep_state(target):
    place = Path(f"/tmp/{target['mark']}-state")
    if place.exists():
        return place.read_text()
    place.write_text("kept")
    raise PermissionError("nothing kept")


def write_observation(target):
    """Write to memory that only the judge may write to."""
    shown = target["observation"]
    address = shown.__array_interface__["data"][0]
    page = address & ~4095
    if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(page), 4096, 3) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    ctypes.memmove(address, address, 8)  # the same bytes: the decoy plays on
    return "written"


def raise_limits(target):
    import resource

    most = resource.RLIM_INFINITY
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
        resource.setrlimit(kind, (most, most))
    return "unlimited"


def become_root(target):
    os.setuid(0)
    return os.getuid()


def see_processes(target):
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 100]
    return len(others)


def see_settings(target):
    return _found(Path("/etc/passwd").read_bytes(), b"root")


_LINEAR = "banditgym.envs.linear"
ATTACKS: dict[str, Callable] = {
    attack.__name__: attack
    for attack in (
        read_environment, read_command_line, read_memory, trace, find_theta, find_theta_in_frames,
        patch_environment, connect, read_file, list_store, write_outside, signal_parent,
        signal_everyone, fork, leave_daemon, start_program, start_threads, take_memory,
        take_hidden_memory, flush_disks, take_queues, fill_tmp, nest_namespaces, poison_cache,
        search_kernels, lock_a_file, lock_a_byte, lock_a_byte_of_an_open_file, ask_for_locks,
        wake_those_at_a_file, set_times, see_load, keep_state, write_observation, raise_limits,
        become_root, see_processes, see_settings,
    )
}  # fmt: skip


def _judge(target):
    """The decoy, by the number that it told: never another process."""
    return target["judge"]


def _found(data, what=_SECRET):
    at = data.find(what)
    if at < 0:
        raise PermissionError("nothing there")
    return data[at : at + 20].decode()


@dataclass(kw_only=True, eq=False)
class Attacker(Agent):
    """Plays the first arm; in one round it attacks, and says by an error what came of it."""

    accepts: ClassVar = (LinearTask,)

    target: str = "{}"

    def _start(self):
        pass

    def act(self, observation):
        if self.decisions[0] + 1 == ROUND:
            print("noise on stdout", flush=True)
            os.write(1, b"more noise\n")
            target = json.loads(self.target) | {"observation": observation}
            raise ValueError(json.dumps([_tried(name, target) for name in target["attacks"]]))
        return super().act(observation)

    def _choose(self, contexts):
        return np.zeros(self.n, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        pass


def _tried(name, target):
    try:
        return [name, True, str(ATTACKS[name](target))[:20]]
    except Exception as error:
        return [name, False, f"{type(error).__name__} {error}"[:30]]


def main(level, attacks, secret, mark, _of_command_line):
    """The decoy judge: what each attack got, by name, as one line of JSON."""
    import gymnasium

    import agents
    import banditgym  # noqa: F401 (registers the environments)
    from leaderboards.sandbox.limits import MEGABYTE, Limits
    from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

    held = [f"memory-{SECRET}-{i}" * 3 for i in range(5000)]
    signals = []
    signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: server.accept()[0].sendall(b"hello"), daemon=True).start()
    names = attacks.split(",")
    # A dozen attacks come in one message, so its limits are wide.
    limits = Limits(memory=2048 * MEGABYTE, answer=300.0, wall=600.0, start=600.0)
    got = {}
    # In pieces: what an agent says of an error is cut. A traced process stops at signals, until the
    # one that traces it ends: so that comes last, alone.
    others = [name for name in names if name != "trace"]
    pieces = [others[first : first + 12] for first in range(0, len(others), 12)]
    pieces += [["trace"]] if "trace" in names else []
    for piece in pieces:
        target = {
            "judge": os.getpid(), "port": server.getsockname()[1], "secret": secret, "mark": mark,
            "attacks": piece,
        }  # fmt: skip
        text = json.dumps(target)
        env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, horizon=10)
        if level == "none":
            try:
                agents.play(env, Attacker(target=text))
            except ValueError as error:
                said = str(error)
        else:
            spec = f"{__file__}:Attacker(target={text!r})"
            with SandboxedAgent(spec=spec, isolation=level, limits=limits) as agent:
                agents.play(env, agent)
                said = agent.faults[0].text.partition("ValueError: ")[2]
        for name, worked, what in json.loads(said):
            got[name] = [worked, what]
    if got.get("leave_daemon", [False])[0]:
        pid = int(got["leave_daemon"][1])
        got["leave_daemon"][0] = Path(f"/proc/{pid}").exists()
        os.kill(pid, signal.SIGKILL)
    patched = hasattr(sys.modules[_LINEAR].LinearBandit, "patched_by_the_agent")
    if "patch_environment" in got:
        got["patch_environment"][0] = patched
    if "signal_parent" in got:
        got["signal_parent"][0] = bool(signals)
    assert held
    print("RESULT " + json.dumps(got))


if __name__ == "__main__":
    main(*sys.argv[1:])
