"""Plays the baselines and references of a suite, and writes them to the file beside it."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from banditgym.files import whole_files
from leaderboards.console.progress import Advance, silent
from leaderboards.rank.scale import baselines_of, scale_of
from leaderboards.run.execution import DEFAULT, Execution
from leaderboards.run.keys.sources import current
from leaderboards.run.runner import run
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import Baselines, as_text, path_of
from leaderboards.suites.suite import Suite, find, load


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
    workers : int, optional
        How many cells run at a time; by default one per core.
    progress : callable
        As for ``runner.run``.

    Returns
    -------
    Path
        The file, ``NAME.baselines.json``.
    """
    # An existing file may be cut or damaged.
    suite = load(name_or_path, with_baselines=False, trust=trust)
    path = path_of(find(name_or_path))
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written, so nothing is played")
    with tempfile.TemporaryDirectory() as folder:
        execution = Execution(workers=workers)
        baselines = played_baselines(
            suite, store=Store(folder), execution=execution, progress=progress
        )
    check_scored(suite, baselines)
    whole_files.write(path, as_text(suite, baselines))
    return path


def played_baselines(
    suite: Suite, *, store: Store, execution: Execution = DEFAULT, progress: Advance = silent
) -> dict[str, Baselines]:
    """The baselines of every task on the suite's seeds: what the store lacks is played.

    Parameters
    ----------
    store : Store
        Where the results are kept.
    execution, progress
        As for ``runner.run``.

    Returns
    -------
    dict of str to Baselines
        For every task, in the suite's order.

    Raises
    ------
    ValueError
        If a task or its reference cannot be played, or fails; no seed may be left out.
    """
    suite = replace(suite, baselines={})
    run(suite, (), store=store, execution=execution, progress=progress)
    rows, _ = current(suite, store.rows(suite.hash))
    names = {task.name for task in suite.tasks}
    rows = [row for row in rows if row.task in names]
    found = baselines_of(suite, rows)
    for task in suite.tasks:
        if any(found[task.name].lacking(task, suite.seeds)):
            errors = (row for row in rows if row.task == task.name and row.error is not None)
            why = next((f"{row.agent} failed: {row.error}" for row in errors), "it has no result")
            raise ValueError(f"{suite.name}, task {task.name!r}: {why}")
    return found


def check_scored(suite: Suite, baselines: Mapping[str, Baselines]) -> None:
    """Refuse a suite with a task that would not be scored on its seeds.

    Raises
    ------
    ValueError
        With the task and the reason.
    """
    for task in suite.tasks:
        _, reason = scale_of(task, baselines[task.name], suite.seeds)
        if reason is not None:
            raise ValueError(f"{suite.name}, task {task.name!r} would not be scored: {reason}")
