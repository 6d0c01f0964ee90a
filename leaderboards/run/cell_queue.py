"""Plays cells in workers that may raise, die or hang: every cell ends as rows.

One cell that kills its worker, or is killed for taking too long, does not cost the others their
rows: see `_CellQueue`.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from itertools import chain

from leaderboards.console.progress import Advance, silent, words
from leaderboards.processes.watchdog import Watchdog
from leaderboards.processes.workers import Cluster, Here, Lost, Unusable
from leaderboards.run.cell import Cell, Played, play_cell
from leaderboards.run.plan import work
from leaderboards.run.reasons import describe
from leaderboards.run.store.store import Row

_BROKEN = 3  # pools in a row that end before they have begun
_POLL = 0.1  # seconds between two looks at the watchdog


def play_cells(
    cells: Sequence[Cell],
    fresh: Callable[[], Executor],
    at_once: int,
    watchdog: Watchdog,
    progress: Advance = silent,
    tell: Callable[[str], None] = lambda traceback: None,
    threads: int = 1,
) -> Generator[list[Row], None, None]:
    """Play cells and yield their rows as they end, and empty lists in between.

    Parameters
    ----------
    fresh : callable
        Returns an executor; called again when one broke.
    at_once : int
        Number of cells that run at a time.
    progress, tell : callable
        As for `runner.run`.
    threads : int
        Threads of each cell.
    """
    if not cells:
        return
    works = {cell.pair: work(cell.task, cell.seconds_per_round) for cell in cells}
    total = sum(works[cell.pair] * len(cell.seeds) for cell in cells)
    n_results, n_played, done = sum(len(cell.seeds) for cell in cells), 0, 0.0
    queue = _CellQueue(deque(cells), fresh, at_once, watchdog, tell, threads)
    try:
        while queue.busy:
            queue.hand_out()
            now = [f"{cell.blank.agent} on {cell.task.name}" for cell in queue.running.values()]
            for rows in chain(queue.collect(), [[]]):
                yield rows
                done += sum(works[row.task, row.spec] for row in rows)
                n_played += len(rows)
                progress(done / total, watchdog.compiling, words(n_played, n_results, now))
    finally:
        queue.pool.shutdown(wait=True, cancel_futures=True)


@dataclass(eq=False)
class _CellQueue:
    """Waiting cells, running cells, and cells suspected of having killed a worker.

    One dead worker fails every future of a process pool. So only as many cells are handed out as
    can run, and after a death the cells that were running are played again one at a time, so that
    only the guilty one dies again.

    A cell that hung or died is played again seed by seed. Meanwhile no two cells of its agent and
    task run at the same time, because after the first lost seed the others are not played.
    """

    waiting: deque[Cell]
    fresh: Callable[[], Executor]
    at_once: int
    watchdog: Watchdog
    tell: Callable[[str], None]
    threads: int
    suspects: deque[Cell] = field(default_factory=deque)
    running: dict[Future[Played], Cell] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)
    on_trial: set[tuple[str, str]] = field(default_factory=set)  # pairs of task and agent
    given_up: dict[tuple[str, str], str] = field(default_factory=dict)  # the reason by pair
    shown: set[str] = field(default_factory=set)  # tracebacks
    broken: int = 0

    def __post_init__(self):
        self.pool = self.fresh()

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.suspects or self.running)

    def hand_out(self) -> None:
        if any(self.deaths[cell.name] for cell in self.running.values()):
            return  # a suspect plays alone
        cluster = self.pool if isinstance(self.pool, Cluster) else None
        at_once = self.at_once if cluster is None else cluster.at_once
        queue, at_once = (self.suspects, 1) if self.suspects else (self.waiting, at_once)
        marks = self.watchdog.marks if cluster is None else None  # a cluster watches itself
        limit = None if isinstance(self.pool, Here) else self.watchdog.limit
        while len(self.running) < at_once and (place := self._next(queue)) is not None:
            try:
                future = self.pool.submit(play_cell, queue[place], marks, limit, self.threads)
            except BrokenExecutor as error:
                if self.running:  # their futures fail too, with more information
                    return
                self.broken += 1
                if self.broken >= _BROKEN:
                    raise OSError(f"no worker can be started: {describe(error)}") from error
                self._renew()
            else:
                self.running[future] = queue[place]
                del queue[place]

    def _next(self, queue: Sequence[Cell]) -> int | None:
        """The index of the first cell that may run besides the running ones.

        Two cells that need the same kernel would both compile it, or one would wait for the other.
        So a cell of a family for which a running cell compiles kernels, or has compiled some, comes
        after all others, and among these one of an agent that a running cell plays.
        """
        running = self.running.values()
        busy = self.on_trial & {cell.pair for cell in running}
        playing = {cell.blank.spec for cell in running}
        compiled = {cell.task.family for cell in running if cell.name in self.watchdog.compilers}
        best: tuple[tuple[bool, bool], int] | None = None
        for i, cell in enumerate(queue):
            if cell.pair in busy:
                continue
            shared = cell.task.family in compiled, cell.blank.spec in playing
            if not any(shared):
                return i
            best = min(best or (shared, i), (shared, i))
        return None if best is None else best[1]

    def collect(self) -> Iterator[list[Row]]:
        ended, _ = wait(self.running, timeout=_POLL, return_when=FIRST_COMPLETED)
        overdue = self.watchdog.check()
        if overdue or any(isinstance(future.exception(), BrokenExecutor) for future in ended):
            ended, _ = wait(self.running)  # the pool is broken: every future ends
        dead = []
        # An error that ends the run is raised last, so that rows of finished cells are kept.
        for future in sorted(ended, key=lambda one: isinstance(one.exception(), Unusable)):
            cell = self.running.pop(future)
            try:
                played = future.result()
            except Unusable:
                raise
            except Lost as error:
                played = Played(rows=cell.failed(str(error)), lost=str(error))
            except BrokenExecutor as error:
                dead.append((cell, _cause(error)))
                continue
            except Exception as error:  # what came back could not be read
                played = Played(rows=cell.failed(describe(error)))
            self.broken = 0
            yield from self._finish(cell, played)
        if dead:
            yield from self._judge(dead, overdue)

    def _finish(self, cell: Cell, played: Played) -> Iterator[list[Row]]:
        """Handle the end of a cell: yield its rows, or queue its seeds to be played alone."""
        if played.lost is not None:
            yield from self._lose(cell, played.lost)
            return
        failed = played.rows[0].error is not None
        # In the sandbox a fault affects only its own seed.
        again = len(cell.seeds) > 1 and not cell.confinement.apart
        if failed and again and cell.pair not in self.given_up:
            # Seed by seed, so that a seed's row does not depend on its neighbours.
            self.waiting.extendleft(reversed(cell.alone()))
            return
        if played.traceback is not None and played.traceback not in self.shown:
            self.shown.add(played.traceback)
            self.tell(played.traceback)
        self.on_trial.discard(cell.pair)
        yield played.rows

    def _lose(self, cell: Cell, reason: str) -> Iterator[list[Row]]:
        """Handle a cell that hung or died: queue its seeds alone, or give up its pair."""
        seed, *others = cell.seeds
        if others and cell.pair not in self.given_up:
            self.on_trial.add(cell.pair)
            self.waiting.extendleft(reversed(cell.alone()))
            return
        yield cell.failed(reason)
        self.given_up[cell.pair] = reason
        why = f"not played: given up on this task after seed {seed}: {reason}"
        for queue in (self.waiting, self.suspects):
            cells = [*queue]
            queue.clear()
            for other in cells:
                if other.pair == cell.pair:
                    yield other.failed(why)
                else:
                    queue.append(other)

    def _judge(self, dead: list[tuple[Cell, str]], overdue: dict[str, str]) -> Iterator[list[Row]]:
        self._renew()
        for cell, cause in dead:
            if cell.name in overdue:
                yield from self._lose(cell, overdue[cell.name])
            elif overdue:
                self.waiting.appendleft(cell)
            elif self.deaths[cell.name]:
                yield from self._lose(cell, f"its process died, twice{cause}")
            else:
                self.deaths[cell.name] += 1
                self.suspects.append(cell)

    def _renew(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.watchdog.clear()
        self.pool = self.fresh()


def _cause(error: BrokenExecutor) -> str:
    """How the dead worker ended, from loky's message: ``" (SIGSEGV(-11))"``."""
    codes = re.search(r"exit codes of the workers are \{(.*)\}", str(error))
    return f" ({codes[1]})" if codes else ""
