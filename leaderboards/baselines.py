"""The two fixed points of a task's score, computed once and then frozen in its suite's file."""

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from loky import cpu_count

from leaderboards.plan import cells_of, entrants, work
from leaderboards.processes import Processes
from leaderboards.runner import LIMIT, play_cells
from leaderboards.suite import BASELINE_SEEDS, Suite
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
        The value that scores 1: no regret; None for other measures, whose suites name it.
    noise : float
        Standard error of ``baseline``.
    """

    task: str
    baseline: float
    best: float | None
    noise: float

    def toml(self) -> str:
        """The lines of the suite's file."""
        best = "best = ?" if self.best is None else f"best = {self.best}"
        return (
            f"# {self.task}\nbaseline = {_number(self.baseline)}\n{best}\n"
            f"noise = {_number(self.noise)}\n"
        )


def baselines(
    suite: Suite,
    *,
    n_seeds: int = LEAST_SEEDS,
    workers: int | None = None,
    progress: Callable[[float, bool], None] = lambda fraction, compiling: None,
) -> list[Baseline]:
    """Play every task uniformly, on seeds that are never scored.

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
        For too few seeds, or if a task cannot be played.
    """
    if not n_seeds >= LEAST_SEEDS:
        raise ValueError(f"a baseline takes at least {LEAST_SEEDS} seeds, got {n_seeds}")
    seeds = range(BASELINE_SEEDS, BASELINE_SEEDS + n_seeds)
    cells = cells_of(suite, entrants(UNIFORM), seeds)
    finals: dict[str, list[float]] = {task.name: [] for task in suite.tasks}
    tasks = {task.name: task for task in suite.tasks}
    total = n_seeds * sum(work(task) for task in suite.tasks)
    done = 0.0
    slots = workers or cpu_count()
    with tempfile.TemporaryDirectory() as marks:
        watchdog = Watchdog(Path(marks), LIMIT)
        for rows in play_cells(cells, lambda: Processes(slots), slots, watchdog):
            for row in rows:
                if row.measures is None:
                    raise ValueError(f"{suite.name}, task {row.task!r}: {row.error}")
                finals[row.task].append(row.measures[tasks[row.task].measure][-1])
                done += work(tasks[row.task])
            progress(done / total, watchdog.compiling)
    # Sorted: cells end in any order, and a sum depends on it in its last bits.
    return [
        Baseline(
            task=name,
            baseline=float(np.mean(np.sort(values))),
            best=0.0 if tasks[name].measure == "regret" else None,
            noise=float(np.std(np.sort(values), ddof=1) / math.sqrt(n_seeds)),
        )
        for name, values in finals.items()
    ]


def _number(value: float) -> str:
    """Six significant digits, as a TOML float."""
    return repr(float(f"{value:.6g}"))
