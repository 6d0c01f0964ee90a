"""The unit of work, a cell: one agent plays one task on some of its seeds. All data are plain."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from agents.naming import plays_apart
from banditgym.files.class_paths import names_own
from leaderboards.processes.subprocess_answer import ask
from leaderboards.processes.watchdog import running
from leaderboards.processes.workers import Lost
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.impossible import impossible, too_many_errors
from leaderboards.run.outcomes import compile_for, outcome
from leaderboards.run.reasons import reason_of
from leaderboards.run.store.row_schema import ADDRESSES, as_line, read_line
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import UNIFORM
from leaderboards.suites.suite import SuiteTask


@dataclass(frozen=True, kw_only=True)
class Cell:
    """An agent, a task, and the seeds to play.

    Parameters
    ----------
    number : int
        Position in the plan.
    blank : Row
        A row with everything that is known before playing; results fill in the rest.
    seconds_per_round : float
        The estimate by the agent's class, for the order of cells and the time left.
    confinement : Confinement
        Where the agent plays; the row says so too.
    """

    number: int
    task: SuiteTask
    blank: Row
    seeds: tuple[int, ...]
    seconds_per_round: float = 0.0
    confinement: Confinement = HERE

    @property
    def name(self) -> str:
        """A name, unique within a run, also among the cells of its single seeds."""
        return f"{self.number}.{self.seeds[0]}.{len(self.seeds)}"

    @property
    def pair(self) -> tuple[str, str]:
        """Its task and its agent, without the seeds."""
        return self.task.name, self.blank.spec

    def failed(self, reason: str) -> list[Row]:
        """A row with this reason for every seed."""
        reason = reason_of(self.task, reason)
        return [replace(self.blank, seed=seed, error=reason) for seed in self.seeds]

    def alone(self) -> list["Cell"]:
        """One cell for each seed."""
        return [replace(self, seeds=(seed,)) for seed in self.seeds]


@dataclass(frozen=True, kw_only=True)
class Played:
    """The outcome of a cell.

    Attributes
    ----------
    rows : list of Row
        One for each seed.
    lost : str or None
        How its process ended, if it hung or died.
    traceback : str or None
        The traceback of the error, if there was one.
    """

    rows: list[Row]
    lost: str | None = None
    traceback: str | None = None


def play_cell(
    cell: Cell, marks: Path | None = None, limit: float | None = None, threads: int = 1
) -> Played:
    """Play a cell; gives one row per seed, with numbers or with an error.

    Parameters
    ----------
    marks : Path, optional
        Folder in which to note that this process now runs the cell, for the watchdog. Without one
        nobody watches this process.
    limit : float, optional
        CPU seconds that the cell may take in a separate process. Agents that play apart
        (`naming.plays_apart`) get one, and all do if nobody watches this process. Without a limit
        every agent is trusted and plays here.
    threads : int
        Threads that play the seeds, as for ``agents.play``. They share ``limit``.
    """
    traceback = None
    try:
        found = _outcome(cell, marks, limit, threads)
        traceback = found.get("traceback")
        return Played(rows=_rows(cell, found))
    except Lost as lost:
        return Played(rows=cell.failed(str(lost)), lost=str(lost))
    except ValueError as error:
        known = isinstance(traceback, str) and not cell.task.hidden
        return Played(rows=cell.failed(str(error)), traceback=traceback if known else None)


def _outcome(cell: Cell, marks: Path | None, limit: float | None, threads: int) -> dict[str, Any]:
    """The outcome of a cell, from this process or from one of its own; `play_cell` says which."""
    task, spec, own = cell.task, cell.blank.spec, names_own(cell.blank.spec)
    if task.hidden and not own and cell.confinement.isolation != "full":
        raise ValueError("third-party code plays held-out seeds only in the sandbox")
    here = cell.confinement.apart or not (marks is None or plays_apart(spec))
    with running(marks, cell.name):
        if here or limit is None:
            return outcome(task, spec, cell.seeds, cell.confinement, threads)
        if not own:
            compile_for(task, spec)
    question = {"what": "play", "spec": spec, "task": asdict(task), "seeds": list(cell.seeds)}
    question |= {"threads": threads}
    with running(marks, cell.name, apart=True) as mark:
        return ask(question, limit=limit, compiling=mark)


def _rows(cell: Cell, found: dict[str, Any]) -> list[Row]:
    """The rows of an outcome, which is untrusted.

    Raises
    ------
    ValueError
        If it is not a valid result, with the reason.
    """
    task, n = cell.task, len(cell.seeds)
    if "error" in found:
        raise ValueError(str(found["error"]))
    if not _is_result(found, n):
        raise ValueError("the result is invalid")
    measures = found["measures"]
    if task.measure not in measures:
        raise ValueError(f"{task.env} has no measure {task.measure!r}, it has {list(measures)}")
    if not np.isfinite(measures[task.measure]).all():
        raise ValueError(f"the measure {task.measure!r} is not finite")
    for i in range(n):
        reason = impossible(task.family, {name: curve[i] for name, curve in measures.items()})
        if reason is not None:
            raise ValueError(reason)
    # Uniform play fixes the scores, whatever it recommends.
    if "error" in measures and cell.blank.spec not in UNIFORM:
        reason = too_many_errors(task, measures["error"])
        if reason is not None:
            raise ValueError(reason)
    rows = filled(cell.blank, cell.seeds, found)
    try:
        for row in rows:
            read_line(as_line(row))
    except ValueError as error:
        raise ValueError(f"the result is invalid: {error}") from None
    return rows


def filled(blank: Row, seeds: Sequence[int], found: Mapping[str, Any]) -> list[Row]:
    """A row for each seed, with the numbers of an outcome."""
    numbers = {key: found[key] for key in ("rounds", "seconds", "bytes")}
    faults = found.get("faults") or [[]] * len(seeds)
    return [
        replace(
            blank,
            seed=seed,
            measures={name: curves[i] for name, curves in found["measures"].items()},
            faults=faults[i],
            **numbers,
        )
        for i, seed in enumerate(seeds)
    ]


class _Result(BaseModel, strict=True):
    """The form of an outcome with numbers; measures and faults are by replicate."""

    rounds: list[int]
    measures: dict[str, list[list[float]]]
    seconds: Annotated[list[float], Field(min_length=2, max_length=2)]
    bytes: Annotated[int, Field(ge=0, le=ADDRESSES)]
    faults: list[Any] | None = None


def _is_result(found: dict[str, Any], n: int) -> bool:
    try:
        result = _Result.model_validate(found)
    except ValidationError:
        return False
    by_seed = [*result.measures.values(), [[]] * n if result.faults is None else result.faults]
    points = {len(curve) for curves in result.measures.values() for curve in curves}
    return all(len(values) == n for values in by_seed) and points <= {len(result.rounds)}
