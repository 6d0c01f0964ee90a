"""Measures a first run: with an empty cache of machine code, what is compiled, and for how long.

Run as ``python -m tools.speed.first_run``, on a machine that does nothing else:

=========  ==============================================================
``step``   the first step of ``LinearBandit-v0``
``play``   a first play of LinUCB there
``suite``  every agent of this package on a suite, in worker processes
=========  ==============================================================

Each is played in a fresh process, so seconds include imports. A compilation counts under the kernel
that is compiled, without the other kernels that it compiles meanwhile.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any, NamedTuple

from numba.core.event import Event, Listener, install_listener

from leaderboards.defaults import SUITE
from leaderboards.processes.workers import Processes

_ENV = "LinearBandit-v0"
_SIZE: dict[str, Any] = {"num_envs": 10, "horizon": 1000}


class First(NamedTuple):
    """The time and the compilations of a first run.

    Attributes
    ----------
    wall, cpu : float
        Wall-clock seconds, and CPU seconds of all its processes.
    compiled : list of tuple of str, str and float
        Name, types and CPU seconds of each compilation, in every process.
    remarks : list of str
        What the run itself measured.
    """

    wall: float
    cpu: float
    compiled: list[tuple[str, str, float]]
    remarks: list[str]

    @property
    def repeated(self) -> list[float]:
        """Seconds of compilations of what was compiled before, or at the same time elsewhere."""
        seen: set[tuple[str, str]] = set()
        found = []
        for name, types, seconds in self.compiled:
            if (name, types) in seen:
                found.append(seconds)
            seen.add((name, types))
        return found

    def lines(self, top: int) -> list[str]:
        """The figures as text, with the ``top`` kernels that take the longest."""
        seconds, counts = defaultdict[str, float](float), Counter[str]()
        for name, _, took in self.compiled:
            seconds[name] += took
            counts[name] += 1
        again = self.repeated
        return [
            f"{self.wall:.1f} s of wall-clock time, {self.cpu:.1f} s of CPU time",
            f"{len(self.compiled)} compilations in {sum(seconds.values()):.1f} s, "
            f"{len(again)} of them repeated in {sum(again):.1f} s",
            *self.remarks,
            *(
                f"{took:8.2f} s {counts[name]:4d} x {name}"
                for name, took in sorted(seconds.items(), key=lambda item: -item[1])[:top]
            ),
        ]


class Compilations(Listener):
    """Writes each compilation of this process to a file of the folder, as a line of JSON."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._open: list[tuple[float, float]] = []  # start, and seconds of others meanwhile

    def on_start(self, event: Event) -> None:
        self._open.append((time.process_time(), 0.0))

    def on_end(self, event: Event) -> None:
        start, others = self._open.pop()
        took = time.process_time() - start
        if self._open:
            outer, theirs = self._open[-1]
            self._open[-1] = outer, theirs + took
        data: Any = event.data
        function = data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        with (self._folder / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps([name, str(data["args"]), took - others]) + "\n")


def counted(folder: Path) -> AbstractContextManager[Any]:
    """Context manager: note what this process compiles."""
    return install_listener("numba:compile", Compilations(folder))


def first(what: str, *given: str) -> First:
    """Call this module's function ``_{what}`` in a fresh process, with an empty cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "compiled").mkdir()
        before, started = getrusage(RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from tools.speed.first_run import begin; begin(*sys.argv[1:])",
                str(folder),
                what,
                *given,
            ],
            env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        wall, after = time.perf_counter() - started, getrusage(RUSAGE_CHILDREN)
        return First(
            wall=wall,
            cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            compiled=[
                tuple(json.loads(line))
                for file in sorted((folder / "compiled").iterdir())
                for line in file.read_text().splitlines()
            ],
            remarks=done.stdout.splitlines(),
        )


def begin(folder: str, what: str, *given: str) -> None:
    """What the fresh process does."""
    with counted(Path(folder) / "compiled"):
        _WHAT[what](Path(folder), *given)


def _step(folder: Path) -> None:
    import gymnasium

    import banditgym  # noqa: F401 (registers the environments)

    envs = gymnasium.make_vec(_ENV, **_SIZE)
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())


def _play(folder: Path) -> None:
    import gymnasium

    import agents

    agents.play(gymnasium.make_vec(_ENV, **_SIZE), agents.LinUCB())


def _suite(folder: Path, name: str) -> None:
    from loky import cpu_count

    from leaderboards.run import runner
    from leaderboards.run.execution import Execution
    from leaderboards.run.store.store import Store
    from leaderboards.suites.suite import load

    started = time.perf_counter()
    runner.run(
        load(name, trust=True),
        store=Store(folder / "store"),
        execution=Execution(executor=lambda: _Counted(cpu_count(), folder / "compiled")),
        ranked=lambda ranking: print(f"{time.perf_counter() - started:8.1f} s until {ranking}"),
    )


class _Counted(Processes):
    """Workers that note what they compile."""

    def __init__(self, workers: int, folder: Path):
        super().__init__(workers)
        self._noted = folder

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return super().submit(_call, self._noted, fn, *args, **kwargs)


def _call(folder: Path, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with counted(folder):
        return fn(*args, **kwargs)


_WHAT: dict[str, Callable[..., None]] = {"step": _step, "play": _play, "suite": _suite}


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of each first run that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", default=["step", "play"], help=", ".join(_WHAT))
    parser.add_argument("--suite", default=SUITE, help="the suite of 'suite'")
    parser.add_argument("--top", type=int, default=10, help="how many kernels are listed")
    options = parser.parse_args(arguments)
    for what in options.what:
        if what not in _WHAT:
            parser.error(f"what is one of {', '.join(_WHAT)}, got {what!r}")
        found = first(what, *([options.suite] if what == "suite" else []))
        print("\n".join([f"first {what}", *(f"  {line}" for line in found.lines(options.top))]))


if __name__ == "__main__":
    main()
