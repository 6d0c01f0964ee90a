"""Plays published rows of a submission again, and compares every bit."""

from collections.abc import Sequence
from dataclasses import dataclass

from loky import cpu_count

from leaderboards.console.progress import Advance, silent
from leaderboards.run.confinement import Confinement
from leaderboards.run.store.row_schema import Row
from leaderboards.submit import playing
from leaderboards.submit.catalogue import Submission
from leaderboards.suites.suite import Suite


@dataclass(frozen=True)
class Difference:
    """A published row that differs from its replay."""

    task: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.task}, seed {self.seed}: {self.what}"


def replay(
    submission: Submission,
    suite: Suite,
    rows: Sequence[Row],
    *,
    confinement: Confinement,
    workers: int | None = None,
    progress: Advance = silent,
) -> list[Difference]:
    """Play rows of results again, and compare every bit of their curves.

    Faults are taken from the published rows, not detected again.

    Parameters
    ----------
    suite : Suite
        With hidden seeds, if the rows belong to an epoch.
    rows : sequence of Row
        Of this submission on this suite.
    confinement : Confinement
        Where the agent plays now.
    """
    expected = {(row.task, row.seed): row for row in rows if not row.refused}
    recorded = {
        cell: (row.faults[0][0], row.faults[0][1]) for cell, row in expected.items() if row.faults
    }
    tasks: dict[str, list[int]] = {}
    for task, seed in sorted(expected):
        tasks.setdefault(task, []).append(seed)
    differences = []
    with playing.staged(submission) as folder:
        for found in playing.rows(
            submission,
            folder,
            suite,
            tasks,
            confinement,
            workers=workers or cpu_count(),
            recorded=recorded,
            progress=progress,
        ):
            for row in found:
                before = expected.pop((row.task, row.seed))
                if what := difference(before, row):
                    differences.append(Difference(row.task, row.seed, what))
    differences += [Difference(*cell, "it was not played") for cell in expected]
    return sorted(differences, key=lambda one: (one.task, one.seed))


def difference(before: Row, now: Row) -> str | None:
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
