"""Plays the missing cells of a suite, and stores their rows as they end.

A cell (one agent, one task, some of the seeds) is a function on plain data, so any
``concurrent.futures.Executor`` can run it. Every cell ends as rows of the store, with numbers or
with an error (see ``leaderboards.run.cell_queue``).

Cells of this package's agents share workers. For each cell of a third-party agent the worker starts
a separate process, limits its time, and receives plain data from it (see
``leaderboards.processes.subprocess_answer``), so an agent cannot affect other agents.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing

from leaderboards.console.progress import Advance, silent
from leaderboards.processes.watchdog import Watchdog, marks_folder
from leaderboards.run.cell_queue import play_cells
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.execution import DEFAULT, Execution
from leaderboards.run.plan import Plan, plan
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import Suite


def run(
    suite: Suite,
    specs: Sequence[str] | None = None,
    *,
    store: Store,
    execution: Execution = DEFAULT,
    confinement: Confinement = HERE,
    progress: Advance = silent,
    tell: Callable[[str], None] = lambda traceback: None,
    ranked: Callable[[str], None] = lambda ranking: None,
) -> Plan:
    """Play the missing cells and append their rows to the store as they end, baselines first.

    Parameters
    ----------
    specs : sequence of str, or None
        Agents as ``agents.naming.resolve`` takes them; None means every agent of ours,
        each on the tasks that it accepts.
    execution : Execution
        How many cells run at a time, on how many threads, for how long, and by what.
    confinement : Confinement
        Where the agents play.
    progress : callable
        Called often, as what `leaderboards.console.progress.bar` yields.
    tell : callable
        Called with the full traceback of each different error.
    ranked : callable
        Called with the name of each ranking as soon as the store has all of its rows.

    Returns
    -------
    Plan
        The work that there was.

    Raises
    ------
    ValueError
        If an agent or a setting of a task does not exist.
    OSError
        If the store cannot be written; nothing is played then. If no worker can be started or a
        cluster is lost; the store has the rows of finished cells.
    """
    limit = None if execution.trusts else execution.limit
    todo = plan(suite, specs, store, limit=limit, confinement=confinement)
    cells = todo.baselines + todo.cells
    if not cells and not todo.refusals:  # then the store need not be writable
        return todo
    with store, marks_folder(store.folder) as marks:
        store.append(todo.refusals)
        rankings = {cell.task.name: cell.task.ranking for cell in cells}
        left = Counter(cell.task.ranking for cell in cells for _ in cell.seeds)
        threads, fresh = execution.threads_each(len(cells)), execution.fresh(len(cells))
        watchdog = Watchdog(marks, execution.limit * threads)
        ending = play_cells(cells, fresh, execution.at_once, watchdog, progress, tell, threads)
        with closing(ending) as played:
            for rows in played:
                store.append(rows)
                left.subtract(rankings[row.task] for row in rows)
                for name in {rankings[row.task] for row in rows if not left[rankings[row.task]]}:
                    ranked(name)
    return todo
