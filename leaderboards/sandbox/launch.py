"""Starts an agent's process, inside or outside bubblewrap."""

import functools
import json
import os
import secrets
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from banditgym.compiled.cache import shared_cache
from leaderboards.processes.launcher import kill_tree, launch
from leaderboards.processes.workers import ONE_THREAD
from leaderboards.sandbox import mounts
from leaderboards.sandbox.limits import Limits
from leaderboards.sandbox.messages import Channel
from leaderboards.sandbox.mounts import CODE, KERNELS, SUBMISSION

_ROOT = Path(__file__).parents[2]
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_OPTIONS = (
    "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL",
)  # fmt: skip
_BEGIN = (
    "import sys; sys.path[:] = {path!r}; "
    "from leaderboards.sandbox.start import main; main({argument!r})"
)


@dataclass(frozen=True)
class Started:
    """An agent's process, just started.

    Attributes
    ----------
    process : subprocess.Popen
        The process of bubblewrap or of the interpreter. Its ``stderr`` says why it did not start.
    control : socket.socket
        The socket on which the judge hands over shared memory.
    """

    process: subprocess.Popen
    channel: Channel
    control: socket.socket

    def end(self) -> None:
        """Kill the process and its descendants, wait for it, and close what belongs to it."""
        kill_tree(self.process)
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.channel.close()
        self.control.close()


def start(
    *,
    full: bool,
    limits: Limits,
    files: Mapping[str, Path] | None = None,
    probe: Limits | None = None,
) -> Started:
    """Start an agent's process.

    Parameters
    ----------
    full : bool
        Whether it runs inside bubblewrap, under the limits; else as an ordinary process of this
        user.
    files : mapping of str to Path, optional
        The agent's files and folders by their names under ``SUBMISSION``; the name ``""`` means
        that folder itself.
    probe : Limits, optional
        Limits to try to exceed instead of playing; only inside bubblewrap.

    Raises
    ------
    OSError
        If no process can be started.
    """
    down, ours_down = os.pipe()
    ours_up, up = os.pipe()
    control, far = socket.socketpair()
    control.setblocking(False)  # the other side may never read what is sent
    numbers = [down, up, far.fileno()]
    try:
        command, environment = _command(full, limits, files or {}, probe, numbers)
        process = launch(
            command,
            env=environment,
            executable=_path_of(command[0]),
            pass_fds=numbers,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what an agent prints is discarded
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except BaseException:
        os.close(ours_down)
        os.close(ours_up)
        control.close()
        raise
    finally:
        far.close()
        os.close(down)
        os.close(up)
    return Started(process, Channel(ours_down, ours_up), control)


def other_user() -> int | None:
    """A user id that nobody has, if this process is the system's root; else None."""
    return (1 << 30) + secrets.randbelow(1 << 29) if os.geteuid() == 0 else None


def _command(
    full: bool, limits: Limits, files: Mapping[str, Path], probe: Limits | None, numbers: list[int]
) -> tuple[list[str], dict[str, str]]:
    """The command line and its environment variables."""
    user = other_user() if full else None
    given = {"limits": asdict(limits) if full else None, "probe": probe and asdict(probe)}
    ends = dict(zip(("down", "up", "control"), numbers, strict=True))
    argument = json.dumps({**given, **ends, "user": user})
    bound = _interpreter()
    within = [bound.get(path, path) for path in _library_path()]
    path = [CODE, *within] if full else [*_library_path(), str(_ROOT)]
    begin = _BEGIN.format(path=path, argument=argument)
    python = [os.path.realpath(sys.executable), "-I", "-S", "-B", "-c", begin]
    known = {**ONE_THREAD, "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
    kernels = shared_cache()
    if user is not None:  # compiled code is not secret; the new user must be able to read it
        kernels.chmod(kernels.stat().st_mode | 0o055)
    if not full:
        return python, known | {"BANDITGYM_KERNELS": str(kernels)} | {
            name: os.environ[name] for name in ("HOME", "NUMBA_CACHE_DIR") if name in os.environ
        }
    known |= {"HOME": "/tmp", "NUMBA_CACHE_DIR": "/tmp/kernels", "BANDITGYM_KERNELS": KERNELS}
    bound |= {str(_ROOT / part): f"{CODE}/{part}" for part in mounts.PARTS}
    bound[str(kernels)] = KERNELS
    bound |= {
        str(path.resolve()): f"{SUBMISSION}/{name}".rstrip("/") for name, path in files.items()
    }
    # The rights to change its own mounts and its user id, which ``lock_down`` needs and drops.
    rights = ["SYS_ADMIN", *(["SETPCAP"] if user is None else ["SETUID", "SETGID"])]
    options = [*_OPTIONS, *(word for right in rights for word in ("--cap-add", f"CAP_{right}"))]
    if user is None:
        options.append("--unshare-user")
    # Parent folders are named: bubblewrap would create them readable by their owner alone.
    for folder in sorted({"/tmp", SUBMISSION, "/dev", *_on_the_way(bound.values())}):
        options += ["--dir", folder]
    for source, place in bound.items():
        options += ["--ro-bind", source, place]
    for folder in _judges(bound):
        options += ["--tmpfs", folder, "--remount-ro", folder]
    # No terminals: with them bubblewrap would keep the rights over mounts to itself.
    options += [word for device in _DEVICES for word in ("--dev-bind", device, device)]
    options += ["--remount-ro", "/", "--clearenv"]
    options += [word for name, value in known.items() for word in ("--setenv", name, value)]
    return ["bwrap", *options, "--chdir", "/", "--", *python], {}


def _interpreter() -> dict[str, str]:
    """Where the interpreter, its packages and the system's libraries are mounted, path by path.

    Packages of a virtual environment are mounted elsewhere: the environment may be in /tmp.
    """
    system = sys.base_prefix in mounts.SYSTEM
    base = os.path.realpath(sys.executable) if system else sys.base_prefix
    found = {path: path for path in (*mounts.LIBRARIES, base) if os.path.exists(path)}
    for i, path in enumerate(_library_path()):
        if os.path.exists(path) and not any(Path(path).is_relative_to(known) for known in found):
            found[path] = f"{mounts.PACKAGES}/{i}/{Path(path).name}"
    return found


def _judges(bound: Mapping[str, str]) -> list[str]:
    """Where the judge's package would be seen among packages, beside which it may be installed."""
    judge = (_ROOT / "leaderboards").resolve()
    found = [(Path(source).resolve(), place) for source, place in bound.items()]
    return [
        str(Path(place) / judge.relative_to(source))
        for source, place in found
        if judge.is_relative_to(source)
    ]


def _library_path() -> list[str]:
    """The folders of the standard library and installed packages; no user's own folder."""
    standard = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    standard |= {str(Path(path) / "lib-dynload") for path in standard}
    installed = ("site-packages", "dist-packages")
    return [path for path in sys.path if path in standard or Path(path).name in installed]


def _on_the_way(places: Iterable[str]) -> set[str]:
    """All parent folders of some paths."""
    return {str(folder) for place in places for folder in Path(place).parents} - {"/"}


@functools.cache
def _path_of(program: str) -> str:
    """The path of a program by this process's PATH: it is started with an empty PATH."""
    for folder in os.get_exec_path():
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise FileNotFoundError(f"there is no {program}")
