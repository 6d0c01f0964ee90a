"""The unit of work, a cell: one agent plays one task on a block of seeds. All data are plain."""

import copy
import math
import re
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.naming import names_own, plays_apart, resolve
from agents.own import files_of, raised_at
from agents.play import Trace, play, task_of
from leaderboards import environments
from leaderboards.lines import as_line, read_line
from leaderboards.processes.apart import ask
from leaderboards.processes.interrupts import attempt
from leaderboards.processes.watchdog import running
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.impossible import impossible
from leaderboards.sandbox.warming import warm
from leaderboards.store import Row
from leaderboards.suite import SuiteTask

LONGEST_ERROR = 300  # characters: an error is one line of a table
_LONG_NUMBER = re.compile("[0-9]{16,}|(?:0x)?[0-9a-fA-F]{16,}")  # a seed has 128 bits


@dataclass(frozen=True, kw_only=True)
class Cell:
    """An agent, a task, and the seeds to play.

    Parameters
    ----------
    number : int
        Position in the plan.
    task : SuiteTask
    blank : Row
        A row with everything that is known before playing; results fill in the rest.
    seeds : tuple of int
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
        """A name, unique within a run, also among cells of single seeds of the block."""
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


def make(task: SuiteTask, num_envs: int) -> Any:
    """The environment of a task, batched over ``num_envs`` replicates.

    Raises
    ------
    ValueError
        If the environment does not accept the settings.
    """
    return environments.make(task.place, num_envs, {"horizon": task.horizon, **task.settings})


def play_cell(cell: Cell, marks: Path | None = None, limit: float | None = None) -> Played:
    """Play a cell; gives one row per seed, with numbers or with an error.

    Parameters
    ----------
    cell : Cell
    marks : Path, optional
        Folder in which to note that this process now runs the cell, for the watchdog. Without one
        nobody watches this process.
    limit : float, optional
        CPU seconds that the cell may take if its agent plays in a separate process. It does so if
        it plays apart (`naming.plays_apart`), or if nobody watches this process. Without a limit
        every agent is trusted and plays here.
    """
    own = names_own(cell.blank.spec)
    if cell.task.hidden and not own and cell.confinement.isolation != "full":
        return Played(rows=cell.failed("others' code plays held-out seeds in the sandbox alone"))
    apart = marks is None or plays_apart(cell.blank.spec)
    if limit is not None and apart and not cell.confinement.apart:
        question = {
            "what": "play",
            "spec": cell.blank.spec,
            "task": asdict(cell.task),
            "seeds": list(cell.seeds),
        }
        with running(marks, cell.name):
            if not own:
                _compile(cell.task, cell.blank.spec)
        with running(marks, cell.name, apart=True) as mark:
            answer = ask(question, limit=limit, compiling=mark)
        if answer.data is None:
            lost = answer.lost or "its process died"
            return Played(rows=cell.failed(lost), lost=lost)
        found = answer.data
    else:
        with running(marks, cell.name):
            found = outcome(cell.task, cell.blank.spec, cell.seeds, cell.confinement)
    said = None if cell.task.hidden else found.get("traceback")
    try:
        return Played(rows=_rows(cell, found))
    except ValueError as error:
        return Played(
            rows=cell.failed(str(error)), traceback=said if isinstance(said, str) else None
        )


_compiled: set[str] = set()  # tasks whose environments this process has played


def _compile(task: SuiteTask, spec: str) -> None:
    """Compile the code of this package that agents in other processes need, once per task.

    What another process compiles is lost when it ends. So the code that all of them need is
    compiled here, once per process and task.
    """
    if environments.is_ours(task.env) and repr(task) not in _compiled:
        _compiled.add(repr(task))
        # Two replicates: with one, the agent might play many rounds at once and compile other code.
        # Errors are ignored here: the cell itself will have them too.
        attempt(lambda: warm(make(task, 2), spec))


def play_warm(
    make: Callable[[], Any], agent: Agent, seeds: Sequence[int], *, horizon: int | None = None
) -> Trace:
    """``agents.play`` on a fresh environment, timed without the extra cost of a first round.

    A copy of the agent first plays two rounds on another environment, so that the measured seconds
    exclude compilation, imports and first accesses to memory. Those rounds have other seeds, so an
    agent that keeps data in its process learns nothing about the measured rounds.
    """
    envs = make()
    longest = [t for t in (2, horizon, task_of(envs).horizon) if t is not None]
    others = [seed + max(seeds) + 1 for seed in seeds]
    play(envs, copy.deepcopy(agent), horizon=min(longest), seed=others)
    return play(make(), agent, horizon=horizon, seed=seeds)


def outcome(
    task: SuiteTask,
    spec: str,
    seeds: Sequence[int],
    confinement: Confinement = HERE,
    **sandboxed: Any,
) -> dict[str, Any]:
    """Play an agent on a task; gives its results as plain data.

    Parameters
    ----------
    task : SuiteTask
    spec : str
    seeds : sequence of int
    confinement : Confinement
        Where the agent plays.
    **sandboxed
        As for ``Confinement.agent``, if the agent plays in another process.

    Returns
    -------
    dict
        ``rounds``, ``measures`` by name and then by seed, ``seconds`` and ``bytes``, and from the
        sandbox ``faults`` by seed; after a failure, the result of ``failure``.
    """
    n, files = len(seeds), set()

    def played() -> dict[str, Any]:
        if confinement.apart:
            _compile(task, spec)
            with confinement.agent(spec, **sandboxed) as agent:
                return by(agent)
        agent = resolve(spec)
        files.update(files_of(type(agent)))
        return by(agent)

    def by(agent: Any) -> dict[str, Any]:
        trace = play_warm(lambda: make(task, n), agent, task.played(seeds), horizon=task.horizon)
        curves = {name: curve for name, curve in trace.measures.items() if curve is not None}
        size, seconds = int(agent.state_bytes()) // n, trace.seconds
        found = {}
        if confinement.apart:  # while the judge waits for the agent nobody knows the environment's
            seconds = math.nan, agent.cpu_seconds()
            found["faults"] = [
                [] if one is None else [[one.round, one.kind]] for one in agent.faults
            ]
        return found | {
            "rounds": [int(t) for t in trace.rounds],
            "measures": {name: np.asarray(curve).tolist() for name, curve in curves.items()},
            "seconds": _per_round(seconds, n * task.horizon),
            "bytes": size,
        }

    found, error = attempt(played)
    return found if error is None else failure(error, files)


def failure(error: BaseException, files: Collection[str] = ()) -> dict[str, Any]:
    """An error as plain data: as one line with its place in these files, and as a traceback."""

    def told() -> dict[str, Any]:
        lines = traceback.format_exception(error)
        return {"error": describe(error, files), "traceback": "".join(lines)}

    found, untold = attempt(told)  # an error's methods may raise anything too
    return {"error": _kind(error)} if untold is not None else found


def describe(error: BaseException, files: Collection[str] = ()) -> str:
    """The kind and the message of an error on one line, and the innermost line of these files."""
    message, _ = attempt(lambda: one_line(str(error)))  # None if its methods raise
    kind = _kind(error)
    return (f"{kind}: {message}" if message else kind) + raised_at(error, files)


def _kind(error: BaseException) -> str:
    """The name of an error's class, as the interpreter knows it."""
    return one_line(type.__dict__["__name__"].__get__(type(error)))


def reason_of(task: SuiteTask, text: str) -> str:
    """An error as rows store it: one line without folders, and without hidden seeds in any form."""
    text = _without_folders(text)
    return one_line(_LONG_NUMBER.sub("(hidden)", text) if task.hidden else text)


def one_line(text: str) -> str:
    """The text without line breaks, at most ``LONGEST_ERROR`` characters of it.

    Surrogates, which cannot be encoded, are escaped.
    """
    text = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 2] + ".."


def _without_folders(text: str) -> str:
    """``/home/me/mine.py`` as ``mine.py``: rows are published."""
    return re.sub(r"(?<![\w.:/~-])~?/(?:[^\s'\"/:]+/)+", "", text)


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
        raise ValueError("what came back is no result")
    measures = found["measures"]
    if task.measure not in measures:
        raise ValueError(f"{task.env} has no measure {task.measure!r}, it has {list(measures)}")
    if not np.isfinite(measures[task.measure]).all():
        raise ValueError(f"the measure {task.measure!r} is not finite")
    for i in range(n):
        reason = impossible(task.family, {name: curve[i] for name, curve in measures.items()})
        if reason is not None:
            raise ValueError(reason)
    filled = replace(
        cell.blank, rounds=found["rounds"], seconds=found["seconds"], bytes=found["bytes"]
    )
    faults = found.get("faults", [[]] * n)
    rows = [
        replace(
            filled,
            seed=seed,
            measures={name: curve[i] for name, curve in measures.items()},
            faults=faults[i],
        )
        for i, seed in enumerate(cell.seeds)
    ]
    try:
        for row in rows:
            read_line(as_line(row))
    except ValueError as error:
        raise ValueError(f"what came back is no result: {error}") from None
    return rows


def _is_result(found: dict[str, Any], n: int) -> bool:
    rounds, measures, seconds, size = map(found.get, ("rounds", "measures", "seconds", "bytes"))
    return (
        isinstance(rounds, list)
        and _is_list(rounds, int)
        and isinstance(measures, dict)
        and all(
            isinstance(curves, list)
            and len(curves) == n
            and all(_is_list(curve, (int, float), len(rounds)) for curve in curves)
            for curves in measures.values()
        )
        and _is_list(seconds, float, 2)
        and type(size) is int
        and len(found.get("faults", [[]] * n)) == n
    )


def _is_list(value: Any, kinds: Any, length: int | None = None) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, kinds) and not isinstance(item, bool) for item in value)
        and length in (None, len(value))
    )


def _per_round(seconds: Sequence[float | None], rounds: int) -> list[float]:
    """[environment, agent]; NaN, null in the store, for an unmeasured part."""
    return [math.nan if total is None else total / rounds for total in seconds]
