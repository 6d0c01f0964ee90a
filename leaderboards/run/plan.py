"""Plans a run: the cells that a suite asks for and a store does not have."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.naming import own_agents
from banditgym.tasks import Task
from leaderboards.run.cell import Cell
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.entrants import ASKING, Entrant, entrants, known_of
from leaderboards.run.reasons import one_line
from leaderboards.run.store.store import Row, Store
from leaderboards.suites.baselines_file import BEST_FIXED, Baselines, baseline_of
from leaderboards.suites.suite import Suite, SuiteTask

CELL_SECONDS = 2.0  # target length of a cell: the cost of handing it out is then negligible
# The length is for a usual agent. More seeds than this save little time per seed, and on many cores
# the slowest agents' cells would run long after all others.
MOST_SEEDS = 100
# The same in the sandbox and for slow agents, whose processes take seconds to start.
APART_SECONDS = 20.0


@dataclass(frozen=True)
class Plan:
    """The work of a run.

    Parameters
    ----------
    baselines : list of Cell
        Uniform play and references on seeds whose baselines are neither beside the suite nor in the
        store; they are played first. Empty if agents are named, and none has anything to play or to
        show.
    cells : list of Cell
        All other cells to play, ranking by ranking as in the suite, and the longest first.
    refusals : list of Row
        Rows of agents that cannot play a task, with the reason, that are not yet in the store.
    finished : int
        Number of (agent, task, seed) that the store already has.
    failed : int
        Number of these that failed twice and are not tried again.
    """

    baselines: list[Cell]
    cells: list[Cell]
    refusals: list[Row]
    finished: int
    failed: int


def plan(
    suite: Suite,
    specs: Sequence[str] | None,
    store: Store,
    *,
    limit: float | None = ASKING,
    confinement: Confinement = HERE,
) -> Plan:
    """Compare a suite with a store.

    Separate processes describe third-party agents.

    Parameters
    ----------
    suite : Suite
    specs : sequence of str, or None
        Agents as ``agents.naming.resolve`` takes them; None means those of
        the suite, mostly every agent of ours, and the best fixed action, each on the tasks that it
        accepts. If empty, only baselines and references play.
    store : Store
    limit : float, optional
        CPU seconds that third-party code may take to describe itself; None runs it in this process.
    confinement : Confinement
        Where the agents play. Baselines and references always play in the environment's process.

    Raises
    ------
    ValueError
        If an agent or a setting of a task does not exist, or a task's reference cannot play it.
    """
    named = specs is not None
    if specs is None:
        # The reference is shown the environment, so it cannot play in the sandbox.
        specs = [*(suite.agents or own_agents()), *[BEST_FIXED] * (not confinement.apart)]
    finished = store.finished(suite.hash)
    baselines: list[Cell] = []
    todo: list[Cell] = []
    refusals: list[Row] = []
    n_finished = n_failed = wanted = 0
    confinement = replace(confinement, resources=suite.resources)
    contestants = entrants(specs, suite.tasks, limit=limit, confinement=confinement)
    for task in suite.tasks:
        known = _known(suite, task)
        first: set[str] = set()
        for entrant, seeds in _fixing(suite, task, known, limit):
            row = entrant.row(suite, task)
            keys = {seed: replace(row, seed=seed).key for seed in seeds}
            left = [seed for seed in seeds if keys[seed] not in finished]
            baselines += _cells(task, entrant, row, left)
            first.update(keys.values())
        for entrant in contestants:
            accepts = entrant.agent.accepts if entrant.agent is not None else object
            if not named and known is not None and not isinstance(known, accepts):
                continue
            row = entrant.row(suite, task)
            reason = entrant.refusal(task, known)
            if reason is not None:
                refusal = replace(row, error=one_line(reason), refused=True)
                refusals += [refusal] if refusal.key not in finished else []
                continue
            keys = {seed: replace(row, seed=seed).key for seed in suite.seeds}
            n_finished += sum(key in finished for key in keys.values())
            n_failed += sum(finished.get(key, False) for key in keys.values())
            left = {seed for seed, key in keys.items() if key not in finished and key not in first}
            todo += _cells(task, entrant, row, sorted(left), confinement)
            wanted += len(keys)
    baselines = _ordered(baselines) if wanted or not contestants else []
    return Plan(baselines, _ordered(todo, len(baselines)), refusals, n_finished, n_failed)


def fixed_by(
    suite: Suite, task: SuiteTask, *, limit: float | None = ASKING
) -> tuple[Entrant, Entrant | None]:
    """The agents that define the scores of a task: the baseline, and the reference if it has one.

    Raises
    ------
    ValueError
        If there is no such reference.
    """
    (uniform,) = entrants([baseline_of(task.family)])
    if task.reference_place is None:
        return uniform, None
    try:
        (reference,) = entrants([task.reference_place], [task], limit=limit)
    except (ValueError, OSError) as error:
        raise ValueError(f"{_where(suite, task)}: {error}") from None
    return uniform, reference


def cells_of(suite: Suite, task: SuiteTask, entrant: Entrant, seeds: Sequence[int]) -> list[Cell]:
    """The cells of an agent on a task, regardless of any store."""
    return _ordered(_cells(task, entrant, entrant.row(suite, task), seeds))


def _fixing(
    suite: Suite, task: SuiteTask, known: Task | None, limit: float | None
) -> Iterator[tuple[Entrant, tuple[int, ...]]]:
    """The baseline and the reference of a task, with the seeds that the suite's file lacks."""
    lacking = suite.baselines.get(task.name, Baselines()).lacking(task, suite.seeds)
    if not any(lacking):
        return
    for entrant, seeds in zip(fixed_by(suite, task, limit=limit), lacking, strict=True):
        if entrant is None or not seeds:
            continue
        reason = entrant.refusal(task, known)
        if reason is not None:
            raise ValueError(f"{_where(suite, task)} cannot play it: {reason}")
        yield entrant, seeds


def _where(suite: Suite, task: SuiteTask) -> str:
    return f"{suite.name}, task {task.name!r}: reference {task.reference}"


def work(task: SuiteTask, seconds_per_round: float = 0.0) -> float:
    """Rough seconds per seed, for the size of cells, their order and the time left.

    Parameters
    ----------
    task : SuiteTask
    seconds_per_round : float
        Seconds per round that the agent's class states in addition to a usual agent's.
    """
    if task.family == "kernelized":  # a posterior over all arms, regardless of the dimension
        return task.horizon * (seconds_per_round + 1e-6 * _size(task, "n_arms", 100))
    numbers = _size(task, "n_arms", 10) * _size(task, "dim", 1)
    return task.horizon * (seconds_per_round + 1e-6 + 6e-9 * numbers)


def _size(task: SuiteTask, setting: str, default: int) -> int:
    value = task.settings.get(setting, default)
    # The estimate is a float; making the environment refuses settings that do not fit into one.
    return min(value, 2**63) if isinstance(value, int) else default


def _cells(
    task: SuiteTask,
    entrant: Entrant,
    row: Row,
    seeds: Sequence[int],
    confinement: Confinement = HERE,
) -> list[Cell]:
    pace = entrant.seconds_per_round
    length = APART_SECONDS if confinement.apart or pace else CELL_SECONDS
    return [
        Cell(
            number=0,
            task=task,
            blank=row,
            seeds=some,
            seconds_per_round=pace,
            confinement=confinement,
        )
        for some in split(task, seeds, length, pace)
    ]


def split(
    task: SuiteTask,
    seeds: Sequence[int],
    length: float = CELL_SECONDS,
    seconds_per_round: float = 0.0,
) -> list[tuple[int, ...]]:
    """Split a task's seeds into equal parts of about ``length`` seconds and a bounded size.

    Results do not depend on the split.
    """
    n = len(seeds)
    wanted = max(1, round(n * work(task, seconds_per_round) / length), math.ceil(n / MOST_SEEDS))
    cuts = [i * n // min(n, wanted) for i in range(min(n, wanted))] + [n] if n else []
    return [tuple(seeds[start:end]) for start, end in itertools.pairwise(cuts)]


def _ordered(cells: Iterable[Cell], start: int = 0) -> list[Cell]:
    """The cells in the order in which they are handed out.

    A ranking's cells are handed out together, so that its table is complete long before the run's
    end, and compiled code is soon used again. Within a ranking the longest cells are first, so that
    no worker has a long cell at the end. The queue departs from this where two cells that are
    played at once would compile the same.
    """
    cells = [*cells]
    places = {name: i for i, name in enumerate(dict.fromkeys(cell.task.ranking for cell in cells))}

    def place(cell: Cell) -> tuple[int, float]:
        return places[cell.task.ranking], -work(cell.task, cell.seconds_per_round)

    return [replace(cell, number=i) for i, cell in enumerate(sorted(cells, key=place), start)]


def _known(suite: Suite, task: SuiteTask) -> Task | None:
    """What agents are told about the task; None if its data is missing, which cells report."""
    try:
        return known_of(task)
    except ValueError as error:
        raise ValueError(f"{suite.name}, task {task.name!r}: {error}") from None
