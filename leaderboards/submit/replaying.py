"""Plays published rows of a submission again, with its code; see `leaderboards.run.replay`."""

from collections.abc import Sequence

from loky import cpu_count

from leaderboards.console.progress import Advance, silent
from leaderboards.run.confinement import Confinement
from leaderboards.run.replay import differences
from leaderboards.run.store.row_schema import Row
from leaderboards.submit import playing
from leaderboards.submit.catalogue import Submission
from leaderboards.suites.suite import Suite


def replay(
    submission: Submission,
    suite: Suite,
    rows: Sequence[Row],
    *,
    confinement: Confinement,
    workers: int | None = None,
    progress: Advance = silent,
) -> list[str]:
    """Play rows of results again; returns a line for each that differs in any bit of its curves.

    Faults are taken from the published rows, not detected again.

    Parameters
    ----------
    suite : Suite
        With hidden seeds, if the rows belong to an epoch.
    rows : sequence of Row
        Of this submission on this suite, without refusals.
    confinement : Confinement
        Where the agent plays now.
    """
    tasks: dict[str, list[int]] = {}
    for task, seed in sorted((row.task, row.seed) for row in rows):
        tasks.setdefault(task, []).append(seed)
    with playing.staged(submission) as folder:
        again = playing.rows(
            submission,
            folder,
            suite,
            tasks,
            confinement,
            workers=workers or cpu_count(),
            recorded={(r.task, r.seed): (r.faults[0][0], r.faults[0][1]) for r in rows if r.faults},
            progress=progress,
        )
        return differences(rows, [row for some in again for row in some])
