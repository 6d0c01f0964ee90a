"""Plays what a suite still lacks, in processes that may raise, die or hang.

A cell (one learner, one task, a block of seeds) is a function on plain data, so any
``concurrent.futures.Executor`` can run it. Whatever becomes of it, it ends as rows of the store:
numbers, or the reason why there are none.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import closing

from loky import cpu_count

from leaderboards.cell import Cell, describe, play_cell
from leaderboards.plan import Plan, plan, work
from leaderboards.processes import Processes
from leaderboards.store import Row, Store
from leaderboards.suite import Suite
from leaderboards.watchdog import Watchdog, marks_folder

LIMIT = 120.0  # seconds that a cell may take
_POLL = 0.1  # seconds between two looks at the watchdog


def run(
    suite: Suite,
    specs: Sequence[str] | None = None,
    *,
    store: Store,
    workers: int | None = None,
    limit: float = LIMIT,
    executor: Callable[[], Executor] | None = None,
    progress: Callable[[float, bool], None] = lambda fraction, compiling: None,
) -> Plan:
    """Play what the store lacks and append it as it comes, baselines first.

    Parameters
    ----------
    suite : Suite
    specs : sequence of str, or None
        Learners as ``agents.naming.resolve`` takes them; None means every learner of ours,
        each on the tasks that it accepts.
    store : Store
    workers : int, optional
        Cells that run at a time; the number of cores by default.
    limit : float
        Seconds after which the process that runs a cell is killed.
    executor : callable, optional
        Gives a fresh ``concurrent.futures.Executor``, and another one after a worker's death.
        loky's processes by default; ``processes.Here`` plays in this process, without a limit.
    progress : callable
        Called often, with the fraction of the work that is done and whether a worker is now
        compiling.

    Returns
    -------
    Plan
        What there was to do.

    Raises
    ------
    ValueError
        If a learner or a setting of a task does not exist.
    OSError
        If the store cannot be written: before anything is played.
    """
    if not limit > 0:
        raise ValueError(f"limit is in seconds and must be > 0, got {limit}")
    slots = workers if workers is not None else cpu_count()
    if not slots >= 1:
        raise ValueError(f"workers must be >= 1, got {slots}")
    with store, marks_folder(store.folder) as marks:
        todo = plan(suite, specs, store)
        store.append(todo.refusals)
        tasks = {task.name: work(task) for task in suite.tasks}
        cells = todo.baselines + todo.cells
        total = sum(work(cell.task) * len(cell.seeds) for cell in cells)
        done = 0.0
        watchdog = Watchdog(marks, limit)
        fresh = executor or (lambda: Processes(min(slots, len(cells))))
        with closing(play_cells(cells, fresh, slots, watchdog)) as played:
            for rows in played:
                store.append(rows)
                done += sum(tasks[row.task] for row in rows)
                progress(done / total, watchdog.compiling)
    return todo


def play_cells(
    cells: Sequence[Cell], fresh: Callable[[], Executor], slots: int, watchdog: Watchdog
) -> Generator[list[Row], None, None]:
    """Play cells and yield their rows in the order in which they end, an empty list meanwhile.

    Parameters
    ----------
    cells : sequence of Cell
    fresh : callable
        Gives an executor; called again when that one broke.
    slots : int
        Cells that run at a time.
    watchdog : Watchdog
    """
    if not cells:
        return
    crew = _Crew(cells, fresh, slots, watchdog)
    try:
        while crew.busy:
            crew.hand_out()
            yield from crew.collect()
            yield []
    finally:
        crew.pool.shutdown(wait=True, cancel_futures=True)


class _Crew:
    """Cells that wait, those that run, and those under suspicion of having killed a worker.

    One dead worker fails every future of a process pool. So no more cells are handed out than run
    at a time, and after a death those that were running are played again one at a time: the
    guilty one dies again, and alone.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        fresh: Callable[[], Executor],
        slots: int,
        watchdog: Watchdog,
    ):
        self.waiting = deque(cells)
        self.suspects: deque[Cell] = deque()
        self.running: dict[Future[list[Row]], Cell] = {}
        self.deaths: Counter[str] = Counter()
        self.fresh, self.slots, self.watchdog = fresh, slots, watchdog
        self.pool = fresh()

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.suspects or self.running)

    def hand_out(self) -> None:
        if any(self.deaths[cell.name] for cell in self.running.values()):
            return  # a suspect plays alone
        queue, slots = (self.suspects, 1) if self.suspects else (self.waiting, self.slots)
        while queue and len(self.running) < slots:
            try:
                future = self.pool.submit(play_cell, queue[0], self.watchdog.marks)
            except BrokenExecutor:
                if self.running:  # their futures fail as well, and say more
                    return
                self._renew()
            else:
                self.running[future] = queue.popleft()

    def collect(self) -> Iterator[list[Row]]:
        ended, _ = wait(self.running, timeout=_POLL, return_when=FIRST_COMPLETED)
        overdue = self.watchdog.check()
        if overdue or any(isinstance(future.exception(), BrokenExecutor) for future in ended):
            ended, _ = wait(self.running)  # the pool is broken: every future ends
        lost = []
        for future in ended:
            cell = self.running.pop(future)
            try:
                rows = future.result()
            except BrokenExecutor as error:
                lost.append((cell, _cause(error)))
                continue
            except Exception as error:  # what came back could not be read
                rows = cell.failed(describe(error))
            if len(cell.seeds) > 1 and rows[0].error is not None:
                # Seed by seed, so that a seed's row does not depend on its neighbours.
                self.waiting.extendleft(reversed(cell.alone()))
            else:
                yield rows
        if lost:
            yield from self._judge(lost, overdue)

    def _judge(self, lost: list[tuple[Cell, str]], overdue: set[str]) -> Iterator[list[Row]]:
        self._renew()
        for cell, cause in lost:
            if cell.name in overdue:
                yield cell.failed(f"still running after {self.watchdog.limit:g} s: killed")
            elif overdue:
                self.waiting.appendleft(cell)
            elif self.deaths[cell.name]:
                yield cell.failed(f"its process died, twice{cause}")
            else:
                self.deaths[cell.name] += 1
                self.suspects.append(cell)

    def _renew(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.watchdog.clear()
        self.pool = self.fresh()


def _cause(error: BrokenExecutor) -> str:
    """loky tells how the dead worker ended: ``" (SIGSEGV(-11))"``."""
    codes = re.search(r"exit codes of the workers are \{(.*)\}", str(error))
    return f" ({codes[1]})" if codes else ""
