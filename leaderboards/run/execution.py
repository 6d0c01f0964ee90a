"""How cells are played: how many at a time, on how many threads, for how long, and by what."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from loky import cpu_count

from leaderboards.defaults import LIMIT
from leaderboards.processes.workers import Here, Processes


@dataclass(frozen=True, kw_only=True)
class Execution:
    """Workers, their threads and their limit.

    Parameters
    ----------
    workers : int, optional
        How many cells run at a time; by default as many as the cores have threads for.
    threads : int, optional
        Threads of each cell, as for ``agents.play``. By default one, or several where loky's
        processes play fewer cells than ``workers``, which then share the idle cores.
    limit : float
        CPU seconds for each thread of a cell: the process that runs a cell is killed after
        ``limit`` times ``threads``; the limit on wall-clock time is ten times as long. Compilation
        is not counted. A cell that was killed is played seed by seed; once a single seed is killed,
        the agent's other seeds on that task are not played.
    executor : callable, optional
        Returns a new ``concurrent.futures.Executor``; called again after a worker's death. By
        default loky's processes. ``processes.Here`` plays in this process, without a limit, and
        trusts every agent. A ``processes.Cluster`` decides how many cells it runs.

    Raises
    ------
    ValueError
        If a limit is not above 0, or there would be no worker or no thread.
    """

    workers: int | None = None
    threads: int | None = None
    limit: float = LIMIT
    executor: Callable[[], Executor] | None = None

    def __post_init__(self):
        if not self.limit > 0:
            raise ValueError(f"limit is in seconds and must be > 0, got {self.limit}")
        for name, number in (("threads", self.threads), ("workers", self.workers)):
            if number is not None and not number >= 1:
                raise ValueError(f"{name} must be >= 1, got {number}")

    @property
    def trusts(self) -> bool:
        """Whether agents play in this process, where no limit stops them."""
        return self.executor is Here

    @property
    def at_once(self) -> int:
        """How many cells run at a time."""
        if self.workers is not None:
            return self.workers
        return max(1, cpu_count() // (self.threads or 1))

    def threads_each(self, n_cells: int) -> int:
        """Threads of each of ``n_cells``."""
        if self.threads is not None:
            return self.threads
        return max(1, self.at_once // n_cells) if n_cells and self.executor is None else 1

    def fresh(self, n_cells: int) -> Callable[[], Executor]:
        """A function that makes an executor of ``n_cells``."""
        return self.executor or (lambda: Processes(min(self.at_once, n_cells)))


DEFAULT = Execution()
IN_PROCESS = Execution(executor=Here)
