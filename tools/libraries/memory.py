"""Measures the memory of a replicate: the peak of a process that plays it, minus that of imports.

It reads Linux's ``VmHWM``, not ``ru_maxrss``, which a new process inherits from its parent.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agents.naming import resolve
from agents.parts.deep.library import module
from agents.play import play
from leaderboards.processes.workers import ONE_THREAD
from leaderboards.run.outcomes import make
from leaderboards.suites.suite import SuiteTask

_PATIENCE = 1200.0  # wall-clock seconds that a process may take


def measured(spec: str, task: SuiteTask) -> dict[str, Any]:
    """Memory, library and version of an agent, as measured in separate processes.

    Parameters
    ----------
    task : SuiteTask
        One replicate of it is played.

    Returns
    -------
    dict
        ``library`` and ``version``; ``task``; ``mebibytes`` that the replicate took, or ``error``.
    """
    try:
        imported = _told(spec, None)
        played = _told(spec, task)
    except ValueError as error:
        return {"library": None, "version": None, "task": task.name, "error": str(error)}
    return {
        "library": imported["library"],
        "version": imported["version"],
        "task": task.name,
        "mebibytes": max(0.0, (played["peak"] - imported["peak"]) / 1024),
    }


def tell(spec: str, task: SuiteTask | None) -> dict[str, Any]:
    """Import an agent and its library, play a replicate if there is a task, and read the peak.

    Returns
    -------
    dict
        ``library``, ``version`` and ``peak``, in KiB.

    Raises
    ------
    OSError
        If the system does not report the peak.
    """
    agent = resolve(spec)
    library = getattr(agent, "library", "banditgym")
    if library == "stable-baselines3":  # its agents import it when they are reset
        module("stable_baselines3")
    if task is not None:
        play(make(task, 1), agent, horizon=task.horizon, seed=[0])
    return {"library": library, "version": version(library), "peak": peak()}


def peak() -> int:
    """The largest resident memory of this process so far, in KiB."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise OSError("this system does not tell the peak of a process")
    return int(found[1])


def _told(spec: str, task: SuiteTask | None) -> dict[str, Any]:
    question = json.dumps({"spec": spec, "task": None if task is None else asdict(task)})
    try:
        ended = subprocess.run(
            [sys.executable, "-m", __name__],
            input=question,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env={**os.environ, **ONE_THREAD},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"still running after {_PATIENCE:.0f} s") from None
    if ended.returncode:
        raise ValueError((ended.stderr.strip().splitlines() or ["its process died"])[-1])
    return json.loads(ended.stdout.splitlines()[-1])


def main() -> None:
    """Answer the question on stdin; output of the libraries precedes the answer."""
    question = json.load(sys.stdin)
    task = question["task"]
    made = None if task is None else SuiteTask.from_plain(task)
    print("\n" + json.dumps(tell(question["spec"], made)))


if __name__ == "__main__":
    main()
