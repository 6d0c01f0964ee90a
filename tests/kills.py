"""Tests ``kill -9`` at random moments: no stored row is lost or doubled, no table changes.

A trial starts a run of a small suite with slow agents, kills one of its processes, and then plays
the missing cells. ``python -m tests.kills`` does this ten times for each kind of process,
which takes some minutes.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from leaderboards import report
from leaderboards.processes.launcher import descendants, kill_descendants
from leaderboards.rank.board import build
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.row_schema import Row, read_line
from leaderboards.run.store.store import ATTEMPTS, Store
from leaderboards.suites.suite import Suite, load

AGENTS = 6
_PATIENCE = 300.0  # seconds that a run may take
_POLL = 0.02
_MISSED = 20  # number of kills of one kind that may come too late
_DELAY = 0.4  # longest delay of the kill after a row, in seconds: longer than a cell
_SUITE = """
title = "Kills"
seeds = 4
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""
_SLOW = """
import time
from dataclasses import dataclass
import agents

@dataclass(kw_only=True, eq=False)
class Slow(agents.UCB1):
    number: int = 0
    seconds: float = 0.3

    def _choose(self, contexts):
        if self.decisions == 30:
            time.sleep(self.seconds)
        return super()._choose(contexts)
"""


@dataclass(frozen=True)
class Target:
    """A kind of process of a run.

    Parameters
    ----------
    executor : str
        The run's ``--executor``; ``dask:`` means a scheduler that we start.
    find : callable
        Returns the ids of its running processes, given those of the judge and the scheduler.
    """

    executor: str
    find: Callable[[int, int], list[int]]


@dataclass(frozen=True)
class Kill:
    """The result of one kill.

    Attributes
    ----------
    stored : int
        Number of rows in the store at the kill.
    faults : list of str
        Problems of the store at the end.
    told : str
        The output of the run that was hit.
    """

    stored: int
    faults: list[str]
    told: str


def _named(*words: str) -> Callable[[int, int], list[int]]:
    """A function that finds the judge's descendants with one of these words in their command."""
    return lambda judge, scheduler: [
        pid for pid in descendants(judge) if any(word in _command(pid) for word in words)
    ]


def _agents(judge: int, scheduler: int) -> list[int]:
    """Processes of third-party agents: children of fork servers and their descendants."""
    servers = _named("leaderboards.run.fork_server")(judge, scheduler)
    return [pid for one in servers for pid in descendants(one)]


TARGETS = {
    "judge": Target("loky", lambda judge, scheduler: [judge]),
    "loky-worker": Target("loky", _named("loky.backend.popen")),
    "agent": Target("loky", _agents),
    "dask-agent": Target("dask", _agents),
    "dask-worker": Target("dask", _named("multiprocessing.spawn")),
    "dask-scheduler": Target("dask:", lambda judge, scheduler: [scheduler]),
}


class Trials:
    """Runs of the small suite in a folder, each with a kill.

    Parameters
    ----------
    folder : Path
        An empty folder for the suite, the agents and the stores.
    seed : int
        Seed of the random moments.
    """

    def __init__(self, folder: Path, seed: int = 0):
        self._folder, self._count = folder, 0
        self._told = folder / "told.txt"
        self._moments = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        (folder / "kills.toml").write_text(_SUITE)
        (folder / "slow.py").write_text(_SLOW)
        self.suite = load(folder / "kills.toml")
        self._n_rows = (AGENTS + 1) * len(self.suite.seeds)  # including the baseline's
        self._agents = [f"{folder / 'slow.py'}:Slow(number={number})" for number in range(AGENTS)]
        self._play(folder / "undisturbed")
        self._rows = rows_of(folder / "undisturbed")

    def kill(self, name: str) -> Kill | None:
        """Kill a process of a fresh run at a random moment; None if the run ended before.

        Raises
        ------
        OSError
            If a run does not end in time.
        """
        target = TARGETS[name]
        self._count += 1
        store = self._folder / f"store-{self._count}"
        # Counted in rows, so that the kill is during the run on slow machines too.
        wanted = int(self._moments.integers(0, self._n_rows - 2))
        delay = float(self._moments.uniform(0, _DELAY))
        choice = float(self._moments.uniform())
        local = contextlib.nullcontext((0, target.executor))
        with _cluster(self._folder) if target.executor == "dask:" else local as started:
            scheduler, executor = started
            judge = self._begin(store, executor)
            try:
                found = partial(target.find, judge.pid, scheduler)
                hit = _hit(judge, store, found, (wanted, delay, choice))
                judge.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                raise OSError(f"a run did not end within {_PATIENCE:.0f} s") from None
            finally:
                _end(judge)
        if hit is None:
            return None
        for _ in range(ATTEMPTS):  # a cell whose process was killed has failed once
            self._play(store)
        told = self._told.read_text()
        return Kill(len(hit), faults(hit, rows_of(store), self.suite, self._rows), told)

    def _play(self, store: Path) -> None:
        """Play the missing cells of a store, in this process, which starts fastest."""
        runner.run(self.suite, self._agents, store=Store(store), execution=IN_PROCESS)

    def _begin(self, store: Path, executor: str) -> subprocess.Popen[bytes]:
        command = ["leaderboard", "run", "kills.toml", "--store", str(store)]
        workers = [] if executor.startswith("dask:") else ["--workers", "2"]
        command += ["--executor", executor, *workers]
        command += [word for agent in self._agents for word in ("--agent", agent)]
        with self._told.open("w") as told:
            return subprocess.Popen(
                [sys.executable, "-c", "from leaderboards.cli import main; main()", *command],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=told,
                start_new_session=True,
            )


def rows_of(store: Path) -> list[Row]:
    """Every complete row of a store, including duplicates, oldest first."""
    rows = []
    for path in sorted(store.glob("*.jsonl")):
        with contextlib.suppress(FileNotFoundError):  # an empty file is removed by its writer
            *lines, _torn = path.read_bytes().split(b"\n")
            rows += map(read_line, lines)
    return rows


def faults(
    before: Iterable[Row], after: Iterable[Row], suite: Suite, undisturbed: Iterable[Row] = ()
) -> list[str]:
    """Problems of the rows of a store.

    Parameters
    ----------
    before : iterable of Row
        The rows stored at the kill.
    after : iterable of Row
        The rows stored at the end.
    undisturbed : iterable of Row
        The rows of a run without a kill; if empty, they are not compared.
    """
    before, after, undisturbed = list(before), list(after), list(undisturbed)
    kept, found = Counter(map(repr, after)), []
    lost = Counter(map(repr, before)) - kept
    if lost:
        found.append(f"{lost.total()} rows were lost")
    doubled = [
        key for key, n in Counter(row.key for row in after if not row.error).items() if n > 1
    ]
    if doubled:
        found.append(f"{len(doubled)} results are there more than once")
    if undisturbed and _table(after, suite) != _table(undisturbed, suite):
        found.append("the table differs")
    return found


def main() -> None:
    """Kill each kind of process several times; exit with 1 if a store has a problem."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("target", nargs="*", help=f"of {', '.join(TARGETS)}; by default all")
    parser.add_argument("--times", type=int, default=10, help="kills of each; 10 by default")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    chosen = parser.parse_args()
    unknown = set(chosen.target) - TARGETS.keys()
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}: there are {', '.join(TARGETS)}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder), chosen.seed)
        for name in chosen.target or TARGETS:
            kills = list(landed(trials, name, chosen.times))
            found = Counter(fault for kill in kills for fault in kill.faults)
            wrong += len(found)
            said = "; ".join(f"{fault} ({n} times)" for fault, n in found.items())
            moments = ", ".join(str(kill.stored) for kill in kills)
            print(f"{name}: {len(kills)} kills, after {moments} rows: {said or 'nothing lost'}")
    sys.exit(1 if wrong else 0)


def landed(trials: Trials, name: str, times: int) -> Iterator[Kill]:
    """The results of ``times`` kills that came in time."""
    missed = 0
    while times:
        kill = trials.kill(name)
        if kill is not None:
            times -= 1
            yield kill
        else:
            missed += 1
            if missed > _MISSED:
                raise OSError(f"{missed} runs ended before the kill of their {name} came")


def _hit(
    judge: subprocess.Popen[bytes],
    store: Path,
    find: Callable[[], list[int]],
    moment: tuple[int, float, float],
) -> list[Row] | None:
    """Kill a process after a number of rows; returns the rows, None if the run ended before."""
    wanted, delay, choice = moment
    deadline = time.monotonic() + _PATIENCE
    while len(rows_of(store)) < wanted or not find():
        if judge.poll() is not None or time.monotonic() > deadline:
            return None
        time.sleep(_POLL)
    time.sleep(delay)
    while judge.poll() is None and time.monotonic() < deadline:
        stored = rows_of(store)
        found = find()
        if found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(found[int(choice * len(found))], signal.SIGKILL)
                return stored
        time.sleep(_POLL)
    return None


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[tuple[int, str]]:
    """Start a scheduler with two workers; yields its process id and its address."""
    file = Path(tempfile.mkdtemp(dir=folder)) / "scheduler.json"
    shared = ["--scheduler-file", str(file), "--no-dashboard"]
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0"]
    worker = ["worker", "--nthreads", "1", "--no-nanny"]
    started = []
    try:
        for words in (scheduler, worker, worker):
            command = [sys.executable, "-m", "dask", *words, *shared]
            started.append(
                subprocess.Popen(
                    command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
        deadline = time.monotonic() + _PATIENCE
        while not file.exists() or not file.read_text():
            if time.monotonic() > deadline:
                raise OSError("no dask scheduler could be started")
            time.sleep(_POLL)
        yield started[0].pid, f"dask:{file}"
    finally:
        for process in started:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        kill_descendants(process.pid)
        process.kill()
        process.wait()


def _command(pid: int) -> str:
    try:
        return Path("/proc", str(pid), "cmdline").read_text(errors="replace")
    except OSError:  # it has ended
        return ""


def _table(rows: Iterable[Row], suite: Suite) -> str:
    """The board as JSON, without the seconds, which differ from run to run."""
    best: dict[str, Row] = {}
    for row in rows:
        if row.key not in best or best[row.key].error is not None:
            best[row.key] = replace(row, seconds=[0.0, 0.0], bytes=0)
    return report.json(build(suite, list(best.values())))


if __name__ == "__main__":
    main()
