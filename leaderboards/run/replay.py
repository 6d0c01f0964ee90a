"""Plays published rows again, and compares every bit of their curves."""

import tempfile
from collections.abc import Iterable, Sequence

from leaderboards.console.progress import Advance, silent
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import Suite


def replay(
    suite: Suite,
    published: Sequence[Row],
    *,
    workers: int | None = None,
    progress: Advance = silent,
) -> list[str]:
    """Play rows of this package's agents again; see `leaderboards.submit.replaying` for others.

    Parameters
    ----------
    suite : Suite
        With the seeds of the rows.
    published : sequence of Row
        Rows of this suite, without refusals.

    Returns
    -------
    list of str
        As of `differences`.
    """
    specs = list(dict.fromkeys(row.spec for row in published))
    with tempfile.TemporaryDirectory() as folder:
        store, execution = Store(folder), Execution(workers=workers)
        runner.run(suite, specs, store=store, execution=execution, progress=progress)
        return differences(published, store.rows(suite.hash))


def differences(published: Iterable[Row], again: Iterable[Row]) -> list[str]:
    """A line for each published row that differs from its replay, or was not played again."""
    found = {(row.spec, row.task, row.seed): row for row in again}
    lines = []
    for row in published:
        now = found.get((row.spec, row.task, row.seed))
        if what := "it was not played" if now is None else _difference(row, now):
            lines.append(f"{row.agent} on {row.task}, seed {row.seed}: {what}")
    return lines


def _difference(before: Row, now: Row) -> str | None:
    """How a row differs; None if every bit of its curves is equal."""
    if before.error is not None or now.error is not None:
        same = (before.error is None) == (now.error is None)
        return None if same else f"published {before.error!r}, now {now.error!r}"
    if before.rounds != now.rounds:
        return "the rounds differ"
    assert before.measures is not None
    assert now.measures is not None
    for name, curve in before.measures.items():
        other = now.measures.get(name)
        if other is None or curve != other:
            return f"{name} ends at {curve[-1]!r}, now {other[-1] if other else None!r}"
    return None
