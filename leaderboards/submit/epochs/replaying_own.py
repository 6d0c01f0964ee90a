"""Replays the rows of this package's agents in a revealed epoch, and compares every bit.

``leaderboards.submit.replaying`` replays rows of submissions, with their code.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from banditgym.validation import nearest
from leaderboards.console.progress import Advance, silent
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.submit.epochs.stages import replayable
from leaderboards.submit.replaying import difference
from leaderboards.suites.suite import Suite


def replay(
    name: str | Path,
    agents: Sequence[str] = (),
    *,
    workers: int | None = None,
    progress: Advance = silent,
) -> tuple[int, list[str]]:
    """Play rows again.

    Parameters
    ----------
    name : str or Path
        The epoch.
    agents : sequence of str
        Only these agents, by their names in rows; all by default.

    Returns
    -------
    tuple of int and list of str
        The number of rows compared, and a line for each row that differs.

    Raises
    ------
    ValueError
        If the epoch is not revealed, or has no rows of an agent.
    """
    suite, rows = replayable(name)
    published = [row for row in rows if "==" not in row.spec and not row.refused]
    specs = list(dict.fromkeys(row.spec for row in published))
    for one in agents:
        if one not in specs:
            raise ValueError(f"epoch {suite.name} has no rows of {one!r}{nearest(one, specs)}")
    published = [row for row in published if not agents or row.spec in agents]
    return compared(suite, published, workers=workers, progress=progress)


def compared(
    suite: Suite,
    published: Sequence[Row],
    *,
    workers: int | None = None,
    progress: Advance = silent,
) -> tuple[int, list[str]]:
    """Play rows of this package's agents again.

    Parameters
    ----------
    suite : Suite
        With the seeds of the rows.
    published : sequence of Row
        Rows of this suite, without refusals.

    Returns
    -------
    tuple of int and list of str
        As of `replay`.
    """
    specs = list(dict.fromkeys(row.spec for row in published))
    with tempfile.TemporaryDirectory() as folder:
        store, execution = Store(folder), Execution(workers=workers)
        runner.run(suite, specs, store=store, execution=execution, progress=progress)
        again = {(row.spec, row.task, row.seed): row for row in store.rows(suite.hash)}
    found = []
    for row in published:
        now = again.get((row.spec, row.task, row.seed))
        what = "it was not played" if now is None else difference(row, now)
        if what:
            found.append(f"{row.agent} on {row.task}, replicate {row.seed}: {what}")
    return len(published), found
