"""Plays groups of the corpus under a setting, in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leaderboards.processes.workers import ONE_THREAD
from tools.portability.dispatch import Setting

LIMIT = 3600.0  # seconds that a setting may take, including compilation
_ROOT = Path(__file__).parents[2]
_PACKAGES = ("banditgym", "agents", "leaderboards", "tools")
# Packages that the corpus imports, besides those that a setting names.
_BESIDE = ("gymnasium>=1.4", "threadpoolctl>=3.5")
# Environment variables that a setting alone may set: the caller's are removed.
_FORCED = (
    "OPENBLAS_CORETYPE",
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "GLIBC_TUNABLES",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
)


@dataclass
class PlayedSetting:
    """The result of playing a setting.

    Attributes
    ----------
    machine, controls : dict
        From ``dispatch.machine`` and ``dispatch.controls`` in its process.
    hashes : dict of str to str
        Hash of each entry.
    errors : dict of str to str
        By group: one line on the error that stopped it.
    error : str or None
        Why the setting was not played, or not to the end.
    """

    setting: Setting
    machine: dict[str, Any] = field(default_factory=dict)
    controls: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    seconds: float = 0.0


def play(
    setting: Setting,
    groups: Sequence[str],
    folder: Path,
    *,
    limit: float = LIMIT,
    progress: Callable[[float], None] = lambda fraction: None,
) -> PlayedSetting:
    """Play groups of the corpus under a setting, in a separate process.

    Parameters
    ----------
    groups : sequence of str
        Names from ``corpus.groups()``; if empty, only the controls are computed.
    folder : Path
        For compiled code and for installed packages that differ from this environment's.
    limit : float
        Seconds after which the process is ended.
    progress : callable
        Called with the fraction that is done.
    """
    played, started = PlayedSetting(setting), time.monotonic()
    environment = {k: v for k, v in os.environ.items() if k not in _FORCED}
    environment |= ONE_THREAD  # sums in BLAS also depend on their number, which is not tested here
    try:
        python, root = sys.executable, _ROOT
        if setting.packages:
            python, root = _installed(setting, folder), _sources(folder)
        if setting.compiles:
            target = setting.name if setting.packages else "generic"
            environment["NUMBA_CACHE_DIR"] = str(folder / f"kernels-{target}")
        # Other versions of packages must not be hidden by the caller's.
        others = [] if setting.packages else os.environ.get("PYTHONPATH", "").split(os.pathsep)
        path = [str(root), *(os.path.abspath(one) for one in others if one)]
        environment |= setting.variables | {"PYTHONPATH": os.pathsep.join(path)}
        command = [python, "-m", "tools.portability.child", *groups]
        _read(command, environment, played, len(groups), limit, progress)
    except (OSError, subprocess.SubprocessError) as error:
        played.error = _last_line(getattr(error, "stderr", None)) or str(error)
    played.seconds = time.monotonic() - started
    return played


def _read(
    command: list[str],
    environment: dict[str, str],
    played: PlayedSetting,
    total: int,
    limit: float,
    progress: Callable[[float], None],
) -> None:
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            command,
            env=environment,
            cwd=tempfile.gettempdir(),
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as process,
    ):
        watch = threading.Timer(limit, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            for done, line in enumerate(process.stdout):
                told = json.loads(line)
                if "machine" in told:
                    played.machine, played.controls = told["machine"], told["controls"]
                elif "error" in told:
                    played.errors[told["group"]] = told["error"]
                else:
                    played.hashes |= told["entries"]
                progress(done / max(total, 1))
            code, late = process.wait(), not watch.is_alive()
        finally:
            watch.cancel()
            process.kill()
        if code != 0:
            complaints.seek(0)
            reason = _last_line(complaints.read()) or f"it ended with code {code}"
            played.error = f"ended after {limit:.0f} s" if late else reason


def _last_line(text: str | None) -> str | None:
    lines = [line for line in (text or "").splitlines() if line.strip()]
    return lines[-1] if lines else None


def _installed(setting: Setting, folder: Path) -> str:
    """The interpreter of a virtual environment with a setting's packages, made if missing."""
    home = folder / f"packages-{setting.name}"
    python = home / "bin" / "python"
    ready = home / "ready"
    if not ready.exists():
        venv.create(home, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        subprocess.run(
            [*command, *setting.packages, *_BESIDE],
            check=True,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        ready.touch()
    return str(python)


def _sources(folder: Path) -> Path:
    """A folder with only the project's packages: their own folder may have others beside them."""
    root = folder / "sources"
    shutil.rmtree(root, ignore_errors=True)
    for package in _PACKAGES:
        skip = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(_ROOT / package, root / package, ignore=skip)
    return root
