"""Estimates how long a run on many cores takes, from measured seconds.

Stored rows of results have the seconds per round. The estimate simulates a run with any number of
seeds and workers: it assigns the cells in a run's order, each to the worker that is free first.
``python -m leaderboards.cluster.forecast`` does this with the published results.
"""

import argparse
import heapq
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboards.defaults import SUITE
from leaderboards.lines import Row
from leaderboards.run.plan import split, work
from leaderboards.store import Store
from leaderboards.suite import Suite, load

OVERHEAD = 0.3  # CPU seconds to start a cell's process and load its compiled code
PUBLISHED = Path(__file__).parents[1] / "results"


@dataclass(frozen=True)
class Forecast:
    """A simulated run.

    Attributes
    ----------
    pairs, cells : int
        Pairs of a task and an agent that plays it; cells that they are split into.
    playing, overhead : float
        CPU seconds to play, and to start the cells.
    longest : float
        Seconds of the longest cell.
    makespan : float
        Seconds from the start of the first cell to the end of the last.
    idle : float
        Seconds from when the first worker runs out of cells to the end of the last cell.
    """

    pairs: int
    cells: int
    playing: float
    overhead: float
    longest: float
    makespan: float
    idle: float


def forecast(
    suite: Suite, rows: Iterable[Row], *, seeds: int, workers: int, overhead: float = OVERHEAD
) -> Forecast:
    """Simulate a run.

    Parameters
    ----------
    rows : iterable of Row
        Measured results of the suite; agents and tasks without rows are left out.
    seeds : int
        Number of seeds that each agent plays.
    workers : int
        Number of cells that run at a time, each on one core.
    overhead : float
        CPU seconds of a cell besides its rounds.

    Raises
    ------
    ValueError
        If no row has seconds, or ``seeds`` or ``workers`` is below 1.
    """
    for name, value in (("seeds", seeds), ("workers", workers)):
        if not value >= 1:
            raise ValueError(f"{name} must be >= 1, got {value}")
    per_seed = seconds_per_seed(suite, rows)
    if not per_seed:
        raise ValueError(f"no row of {suite.name} has seconds")
    durations = []
    for task in sorted(suite.tasks, key=lambda task: -work(task)):  # the order of a plan
        sizes = [len(some) for some in split(task, range(seeds))]
        for (name, _), seconds in per_seed.items():
            if name == task.name:
                durations += [size * seconds + overhead for size in sizes]
    ends = _ends(durations, workers)
    return Forecast(
        pairs=len(per_seed),
        cells=len(durations),
        playing=sum(durations) - overhead * len(durations),
        overhead=overhead * len(durations),
        longest=max(durations),
        makespan=max(ends),
        idle=max(ends) - min(ends),
    )


def seconds_per_seed(suite: Suite, rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    """CPU seconds of environment and agent per episode, by task and agent: means over seeds."""
    horizons = {task.name: task.horizon for task in suite.tasks}
    measured = defaultdict(list)
    for row in rows:
        known = [x for x in row.seconds or () if not math.isnan(x)]
        if known and row.task in horizons:
            measured[row.task, row.spec].append(sum(known) * horizons[row.task])
    return {pair: sum(found) / len(found) for pair, found in measured.items()}


def _ends(durations: Sequence[float], workers: int) -> list[float]:
    """The time when each worker ends its last cell; each cell goes to the first free worker."""
    ends = [0.0] * workers
    for duration in durations:
        heapq.heapreplace(ends, ends[0] + duration)
    return ends


def main() -> None:
    """Print the forecast of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m leaderboards.cluster.forecast", description=__doc__
    )
    parser.add_argument("suite", nargs="?", default=SUITE)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--store", type=Path, default=PUBLISHED, help="folder of measured rows")
    chosen = parser.parse_args()
    try:
        suite = load(chosen.suite)
        rows = Store(chosen.store).rows(suite.hash)
        found = forecast(suite, rows, seeds=chosen.seeds, workers=chosen.workers)
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    print(
        f"{suite.name}, {chosen.seeds} seeds: {found.pairs} pairs of task and agent, "
        f"{found.cells} cells\n"
        f"CPU time: {found.playing:.0f} s to play, {found.overhead:.0f} s to start cells\n"
        f"longest cell: {found.longest:.1f} s\n"
        f"{chosen.workers} workers: {found.makespan:.0f} s, of which the last "
        f"{found.idle:.1f} s with some of them idle"
    )


if __name__ == "__main__":
    main()
