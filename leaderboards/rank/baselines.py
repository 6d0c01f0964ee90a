"""Plays the baselines and references of a suite and writes them to the file beside it."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from loky import cpu_count

from agents.play import task_of
from banditgym.files import whole_files
from leaderboards.console.progress import Advance, silent
from leaderboards.defaults import LIMIT
from leaderboards.processes.watchdog import Watchdog
from leaderboards.processes.workers import Processes
from leaderboards.rank.scale import scale_of
from leaderboards.run.cell import Cell
from leaderboards.run.cell_queue import play_cells
from leaderboards.run.outcomes import make
from leaderboards.run.plan import cells_of, fixed_by
from leaderboards.suites.baselines_file import Ends, as_text, path_of
from leaderboards.suites.suite import Suite, SuiteTask, find, load


def write(
    name_or_path: str | Path,
    *,
    workers: int | None = None,
    trust: bool = False,
    progress: Advance = silent,
) -> Path:
    """Play a suite's baselines and references and write the file beside it.

    Parameters
    ----------
    name_or_path, trust
        As for ``suite.load``.
    workers, progress
        As for `baselines`.

    Returns
    -------
    Path
        The file, ``NAME.baselines.json``.
    """
    suite = load(
        name_or_path, with_ends=False, trust=trust
    )  # an existing file may be cut or damaged
    path = path_of(find(name_or_path))
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written, so nothing is played")
    text = as_text(suite, baselines(suite, workers=workers, progress=progress))
    whole_files.write(path, text)
    return path


def baselines(
    suite: Suite,
    *,
    workers: int | None = None,
    progress: Advance = silent,
) -> dict[str, Ends]:
    """Play every task uniformly, and with its reference, on the suite's seeds.

    Parameters
    ----------
    workers : int, optional
        Processes; the number of cores by default.
    progress : callable
        As for ``runner.run``.

    Returns
    -------
    dict of str to Ends
        For every task, in the suite's order.

    Raises
    ------
    ValueError
        If a task cannot be played; if a reference does not exist or cannot play its task; or if a
        task would not be scored on these seeds.
    """
    roles: dict[tuple[str, str], list[dict[int, float]]] = {}
    found: dict[str, Ends] = {}
    cells: list[Cell] = []
    for task in suite.tasks:
        own = found[task.name] = Ends()
        for entrant, values in zip(fixed_by(suite, task), (own.uniform, own.best), strict=True):
            if entrant is None:
                continue
            try:
                reason = entrant.refusal(task, task_of(make(task, 1)))
            except (ValueError, OSError) as error:
                raise ValueError(f"{_where(suite, task)}: {error}") from None
            if reason is not None:
                raise ValueError(
                    f"{_where(suite, task)}: {entrant.about['agent']} cannot play it: {reason}"
                )
            cells += cells_of(suite, task, entrant, suite.seeds)
            # An agent may be baseline and reference at once; the check below refuses that.
            roles.setdefault((task.name, entrant.about["spec"]), []).append(values)
    tasks = {task.name: task for task in suite.tasks}
    slots = workers or cpu_count()
    cells = [replace(cell, number=i) for i, cell in enumerate(cells)]
    with tempfile.TemporaryDirectory() as marks:
        watchdog = Watchdog(Path(marks), LIMIT)
        for rows in play_cells(cells, lambda: Processes(slots), slots, watchdog, progress):
            for row in rows:
                task = tasks[row.task]
                if row.measures is None:
                    raise ValueError(f"{_where(suite, task)}: {row.error}")
                for values in roles[row.task, row.spec]:
                    values[row.seed] = row.measures[task.measure][-1]
    for task in suite.tasks:
        _, reason = scale_of(task, found[task.name], suite.seeds)
        if reason is not None:
            raise ValueError(f"{_where(suite, task)} would not be scored: {reason}")
    return found


def _where(suite: Suite, task: SuiteTask) -> str:
    return f"{suite.name}, task {task.name!r}"
