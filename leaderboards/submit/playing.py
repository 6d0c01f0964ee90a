"""Where a submission's code runs: never in the judge's own process.

Its files are copied from memory to a fresh folder, so that the files played are those hashed.
"""

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from leaderboards.console.progress import Advance, silent, words
from leaderboards.processes.pool import collected
from leaderboards.processes.workers import Processes
from leaderboards.run.cell import filled
from leaderboards.run.confinement import Confinement
from leaderboards.run.entrants import Entrant
from leaderboards.run.impossible import too_many_errors
from leaderboards.run.outcomes import outcome
from leaderboards.run.plan import work
from leaderboards.run.reasons import reason_of
from leaderboards.run.store.row_schema import Row
from leaderboards.submit.catalogue import Submission
from leaderboards.suites.suite import Suite, SuiteTask

# How often a game is repeated after its process died, alone or with another process of the pool: a
# verification has one attempt, and the system may end a process when memory runs out.
_AGAIN = 2
_POLL = 0.1  # seconds between two looks at the clock


@contextlib.contextmanager
def staged(submission: Submission) -> Iterator[Path]:
    """A context manager of a fresh folder with the submission's files."""
    folder = Path(tempfile.mkdtemp(prefix="banditgym-"))
    try:
        yield submission.folder.copy_to(folder / submission.manifest.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def entrant(submission: Submission, confinement: Confinement) -> Entrant:
    """What every row of results says about a submission."""
    manifest = submission.manifest
    return Entrant(
        about={
            "agent": manifest.name,
            "spec": submission.spec,
            "hyperparameters": manifest.hyperparameters,
            "sources": submission.sources,
            "facts": list(manifest.facts),
            "paper": manifest.paper,
            "full_information": False,
            **confinement.about,
        }
    )


@dataclass(frozen=True)
class Game:
    """A task that a submission plays, on all its seeds in lockstep.

    Parameters
    ----------
    seeds : tuple of int
        As in rows of results.
    spec : str
        The agent's spec: within its folder, or with the path of its file if it plays in the
        environment's process.
    folder : str
        Where the submission's files are staged.
    confinement : Confinement
        Where the agent plays.
    recorded : tuple or None
        For a replay: the fault of each seed, (round, kind) or None.
    """

    task: SuiteTask
    seeds: tuple[int, ...]
    spec: str
    folder: str
    confinement: Confinement
    recorded: tuple[tuple[int, str] | None, ...] | None = None


def rows(
    submission: Submission,
    folder: Path,
    suite: Suite,
    wanted: Mapping[str, Sequence[int]],
    confinement: Confinement,
    *,
    workers: int,
    recorded: Mapping[tuple[str, int], tuple[int, str]] | None = None,
    progress: Advance = silent,
) -> Iterator[list[Row]]:
    """Play tasks of a suite, and yield rows of results as tasks end.

    The worker processes hold the environments. Each starts a sandbox for the agent, unless the
    isolation is ``none``.

    Parameters
    ----------
    folder : Path
        Where its files are staged.
    wanted : mapping of str to sequence of int
        The seeds of each task to play.
    confinement : Confinement
        Where its agent plays. Tasks that have not ended within its ``total`` have an error.
    workers : int
        Number of tasks played at a time.
    recorded : mapping of (str, int) to (int, str), optional
        For a replay: the faults of published rows, by task and seed.
    progress : callable
        As for ``runner.run``.
    """
    games = [
        Game(
            task=task,
            seeds=tuple(seeds),
            spec=submission.code(None if confinement.apart else folder),
            folder=str(folder),
            confinement=confinement,
            recorded=None
            if recorded is None
            else tuple(recorded.get((task.name, seed)) for seed in seeds),
        )
        for task in suite.tasks
        if (seeds := wanted.get(task.name))
    ]
    if not games:
        return
    games.sort(key=lambda game: -work(game.task) * len(game.seeds))  # the longest first
    about = entrant(submission, confinement)
    lost: list[Game] = []
    done, left = 0, confinement.total
    late = {"error": "not played to its end: all tasks took longer than they may together"}

    def outcomes(some: Sequence[Game], at_once: int) -> Iterator[tuple[Game, Any]]:
        nonlocal left
        at_once = min(at_once, len(some))
        began = time.monotonic()
        yield from _outcomes(some, at_once, left / at_once, late)
        left -= at_once * (time.monotonic() - began)

    def finished(game: Game, found: Mapping[str, Any]) -> list[Row]:
        nonlocal done
        done += 1
        names = [f"{submission.manifest.name} on {one.task.name}" for one in games]
        progress(done / len(games), False, words(done, len(games), names[done : done + 1]))
        blank = about.row(suite, game.task)
        if "error" in found:
            return [replace(blank, seed=seed, error=found["error"]) for seed in game.seeds]
        return filled(blank, game.seeds, found)

    for game, found in outcomes(games, workers):
        if found is None:
            lost.append(game)
        else:
            yield finished(game, found)
    for game in lost:
        found = None
        for _ in range(_AGAIN):
            if found is None:
                ((_, found),) = outcomes([game], 1)
        yield finished(game, found or {"error": "the judge's process died"})


def _outcomes(
    games: Sequence[Game], workers: int, seconds: float, late: Mapping[str, Any]
) -> Iterator[tuple[Game, Mapping[str, Any] | None]]:
    """Games as they end, with their outcome: None if a process of the judge died.

    After some seconds the others are ended, and ``late`` is their outcome.
    """
    if seconds <= 0:
        yield from ((game, late) for game in games)
        return
    calls = {i: partial(played, game) for i, game in enumerate(games)}
    deadline = time.monotonic() + seconds
    with contextlib.closing(collected(Processes(workers), calls, poll=_POLL)) as ends:
        left = dict(enumerate(games))
        for ended, _ in ends:
            for i, future in ended:
                broken = isinstance(future.exception(), BrokenExecutor)
                yield left.pop(i), None if broken else future.result()
            if time.monotonic() > deadline:
                break
        yield from ((game, late) for game in left.values())


def played(game: Game) -> dict[str, Any]:
    """The outcome of a game as plain data: numbers, or the ``error``."""
    sandboxed = {}
    if game.confinement.apart:
        sandboxed = {"folder": game.folder, "recorded": game.recorded}
    elif game.folder not in sys.path:
        sys.path.append(game.folder)  # last, so that the submission's files shadow no module
    task = game.task
    found = outcome(task, game.spec, game.seeds, game.confinement, **sandboxed)
    if "error" in found:
        return {"error": reason_of(task, found["error"].replace(f"{game.folder}/", ""))}
    if not np.isfinite(found["measures"][task.measure]).all():
        return {"error": f"the measure {task.measure!r} is not finite"}
    reason = too_many_errors(task, found["measures"].get("error", []))
    return found if reason is None else {"error": reason}
