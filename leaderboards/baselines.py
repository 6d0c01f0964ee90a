"""The two fixed points of a task's score, computed once and then frozen in its suite's file."""

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from loky import cpu_count

from banditgym.measures import higher_is_better
from leaderboards.cell import Cell, make
from leaderboards.plan import cells_of, entrants, work
from leaderboards.processes import Processes
from leaderboards.runner import LIMIT, play_cells
from leaderboards.suite import BASELINE_SEEDS, Suite, SuiteTask
from leaderboards.watchdog import Watchdog

LEAST_SEEDS = 1000
UNIFORM = ("UniformRandom", "PredictZero")  # one a family; to predict, 0 stands for uniform play


@dataclass(frozen=True)
class Baseline:
    """What uniform play reaches on a task; in regression, predicting 0.

    Parameters
    ----------
    task : str
    baseline : float
        Mean of the task's measure after its last round.
    best : float or None
        The value that scores 1: no regret; of other measures the mean of the task's reference on
        the same seeds, None without one: its suite has to name the value.
    noise : float
        Standard error of ``baseline - best``, where a reference's mean counts as measured, seed by
        seed, and any other ``best`` as known.
    """

    task: str
    baseline: float
    best: float | None
    noise: float

    def toml(self) -> str:
        """The lines of the suite's file."""
        best = "?" if self.best is None else _number(self.best)
        return (
            f"# {self.task}\nbaseline = {_number(self.baseline)}\nbest = {best}\n"
            f"noise = {_number(self.noise)}\n"
        )


def baselines(
    suite: Suite,
    *,
    n_seeds: int = LEAST_SEEDS,
    workers: int | None = None,
    progress: Callable[[float, bool], None] = lambda fraction, compiling: None,
) -> list[Baseline]:
    """Play every task uniformly, and with its reference, on seeds that are never scored.

    Parameters
    ----------
    suite : Suite
    n_seeds : int
        At least 1000.
    workers : int, optional
        Processes; the number of cores by default.
    progress : callable
        As for ``runner.run``.

    Raises
    ------
    ValueError
        For too few seeds; if a task cannot be played; if there is no such reference, it cannot
        play its task, or is no better there than uniform play.
    """
    if not n_seeds >= LEAST_SEEDS:
        raise ValueError(f"a baseline takes at least {LEAST_SEEDS} seeds, got {n_seeds}")
    seeds = range(BASELINE_SEEDS, BASELINE_SEEDS + n_seeds)
    uniform = cells_of(suite, entrants(UNIFORM), seeds)
    references = _reference_cells(suite, seeds)
    total = sum(work(cell.task) * len(cell.seeds) for cell in uniform + references)
    done = 0.0

    def finals(cells: Sequence[Cell]) -> dict[str, np.ndarray]:
        """The measure of every seed after the last round, by task."""
        nonlocal done
        found = {cell.task.name: np.empty(n_seeds) for cell in cells}
        slots = workers or cpu_count()
        with tempfile.TemporaryDirectory() as marks:
            watchdog = Watchdog(Path(marks), LIMIT)
            for rows in play_cells(cells, lambda: Processes(slots), slots, watchdog):
                for row in rows:
                    if row.measures is None:
                        raise ValueError(f"{suite.name}, task {row.task!r}: {row.error}")
                    task = tasks[row.task]
                    # By seed: cells end in any order, and a sum depends on it in its last bits.
                    found[row.task][row.seed - BASELINE_SEEDS] = row.measures[task.measure][-1]
                    done += work(task)
                progress(done / total, watchdog.compiling)
        return found

    tasks = {task.name: task for task in suite.tasks}
    baseline, best = finals(uniform), finals(references)
    return [
        _baseline(suite, task, baseline[task.name], best.get(task.name)) for task in suite.tasks
    ]


def _reference_cells(suite: Suite, seeds: Sequence[int]) -> list[Cell]:
    """Every reference on its own task.

    Raises
    ------
    ValueError
        If there is no such learner, or it refuses the task.
    """
    cells: list[Cell] = []
    for task in suite.tasks:
        if task.reference is None:
            continue
        where = f"{suite.name}, task {task.name!r}: reference {task.reference}"
        try:
            found = entrants([task.reference])
            reason = found[0].agent.refusal(make(task, 1).unwrapped.task)
        except (ValueError, OSError) as error:
            raise ValueError(f"{where}: {error}") from None
        if reason is not None:
            raise ValueError(f"{where} cannot play it: {reason}")
        cells += cells_of(replace(suite, tasks=(task,)), found, seeds)
    return [replace(cell, number=i) for i, cell in enumerate(cells)]


def _baseline(
    suite: Suite, task: SuiteTask, uniform: np.ndarray, reference: np.ndarray | None
) -> Baseline:
    """The fixed points of a task from the measure (n,) of uniform play and of its reference."""
    n, mean = len(uniform), float(np.mean(uniform))
    if reference is None:
        best = 0.0 if task.measure == "regret" else None
        return Baseline(task.name, mean, best, float(np.std(uniform, ddof=1) / math.sqrt(n)))
    best = float(np.mean(reference))
    sign = 1 if higher_is_better(task.measure) else -1
    if not sign * (best - mean) > 0:
        raise ValueError(
            f"{suite.name}, task {task.name!r}: reference {task.reference} has a mean "
            f"{task.measure} of {best:.6g}, which is no better than uniform play's, {mean:.6g}"
        )
    noise = float(np.std(uniform - reference, ddof=1) / math.sqrt(n))
    return Baseline(task.name, mean, best, noise)


def _number(value: float) -> str:
    """Six significant digits, as a TOML float."""
    return repr(float(f"{value:.6g}"))
