"""The published tuned settings of a suite, and the results of these settings on its seeds.

They are in ``tuned`` below the folder of published results, where no other reader of results looks:
``SUITE.json`` has the settings and how they were found, ``SUITE.jsonl.gz`` the rows. The rows of
the defaults stay where they are.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from banditgym.files import whole_files
from banditgym.files.class_paths import names_own
from leaderboards.rank.board import Board
from leaderboards.rank.tuned import with_tuned
from leaderboards.rank.tuned_records import Tuned, as_text, from_text
from leaderboards.run.keys.sources import of_agent, present
from leaderboards.run.store.store import Row, Store
from leaderboards.submit.published import pack_apart
from leaderboards.suites.suite import Suite
from leaderboards.tuning.tune import planned, read, rows_of
from leaderboards.tuning.tuning_tasks import TuningTasks

FOLDER = "tuned"


def take(tasks: TuningTasks, folder: Path, results: Path) -> None:
    """Publish a finished tuning of all of this package's agents.

    Parameters
    ----------
    folder : Path
        Of ``banditgym tune``.
    results : Path
        The folder of published results.

    Raises
    ------
    ValueError
        If a study or a result is missing, agents of a family have different budgets, or a number
        comes from other sources than the present ones.
    """
    suite = tasks.suite
    own = {(one.spec, one.family): one for one in read(folder) if names_own(one.spec)}
    found: list[Tuned] = []
    for todo in planned(tasks, None, None):
        one = own.get((todo.entrant.about["spec"], todo.family))
        if one is None or one.suite != suite.hash or one.sources != todo.entrant.about["sources"]:
            raise ValueError(
                f"{folder} lacks {todo.entrant.about['agent']} on {todo.family} with the present "
                f"sources: run banditgym tune {suite.name} again, or into another folder"
            )
        found.append(one)
    for family in tasks.suite.families:
        budgets = {(one.trials, one.seeds, one.further) for one in found if one.family == family}
        if len(budgets) > 1:
            raise ValueError(f"the {family} agents of {folder} had different budgets")
    rows = _settings_rows(tasks, folder, found)
    folder = results / FOLDER
    pack_apart(folder / f"{suite.name}.jsonl.gz", rows)
    whole_files.write(folder / f"{suite.name}.json", as_text(found))


def published(results: Path, suite: Suite) -> tuple[list[Tuned], list[Row]]:
    """The published settings and their rows; both empty if there are none."""
    path = results / FOLDER / f"{suite.name}.json"
    if not path.exists():
        return [], []
    found = from_text(path.read_text(encoding="utf-8"))
    return found, Store(path.parent).rows(suite.hash)


def rename_sources(results: Path, suite: Suite, key: Callable[[str], str]) -> None:
    """Give the published settings the keys of sources that compute the same numbers."""
    found, _ = published(results, suite)
    new = [replace(one, sources=key(one.spec)) for one in found]
    if new != found:
        path = results / FOLDER / f"{suite.name}.json"
        whole_files.write(path, as_text(new))


def beside(board: Board, rows: list[Row], results: Path) -> Board:
    """The board of the defaults' rows with the published tuned column, if there is one."""
    found, tuned = published(results, board.suite)
    return with_tuned(board, [*rows, *tuned], found) if found else board


def _settings_rows(tasks: TuningTasks, folder: Path, found: list[Tuned]) -> list[Row]:
    """The rows of tuned settings, all of which must exist and have no error."""
    rows: list[Row] = []
    every = {(row.spec, row.task, row.seed): row for row in rows_of(folder, tasks.suite)}
    for one in found:
        if not one.setting:
            continue
        sources = present(of_agent, one.tuned)
        for name, seed in itertools.product(one.tasks, tasks.suite.seeds):
            row = every.get((one.tuned, name, seed))
            if row is None or row.error is not None or row.sources != sources:
                raise ValueError(
                    f"{folder} lacks the result of {one.tuned} on {name}, seed {seed}: continue "
                    f"with banditgym tune {tasks.suite.name}"
                )
            rows.append(row)
    return rows
