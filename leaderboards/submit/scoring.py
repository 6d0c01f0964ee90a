"""Scores a submission on a suite's public seeds.

Scores on public seeds are called self-run: any agent that imports banditgym can rebuild the
environments of such seeds, so these scores are trusted only as far as its code was reviewed.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from loky import cpu_count

from leaderboards.console.progress import Advance, silent
from leaderboards.run.confinement import Confinement
from leaderboards.run.entrants import Entrant
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.submit import asking, playing
from leaderboards.submit.catalogue import SELF_RUN, Submission
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.submit.published import pack, published_rows, rows_file
from leaderboards.suites.suite import Suite


def self_run(
    submission: Submission,
    suite: Suite,
    *,
    confinement: Confinement,
    workers: int | None = None,
    today: date,
    progress: Advance = silent,
) -> list[Row]:
    """Play the seeds of a suite that a version lacks, and write the rows into its folder.

    Rows are stored as tasks end, so a stopped run continues where it was. The rows of an audit go
    to a separate file.

    Raises
    ------
    SubmissionError
        If the agent cannot be made or plays no task of the suite.
    OSError
        If the folder cannot be written.
    """
    confinement = replace(confinement, resources=suite.resources)
    left, audit = Store(submission.results), confinement.audit
    published = published_rows(submission, suite, audit=audit)
    rows = [row for row in left.rows(suite.hash) if row.spec == submission.spec]
    rows += reversed(published)
    where = confinement.isolation, audit, submission.sources
    there = [row for row in rows if (row.isolation, row.audit, row.sources) == where]
    done = [*{(row.task, row.seed): row for row in there}.values()]  # published ones before others
    done = completed(submission, suite, left, done, confinement, workers=workers, progress=progress)
    done.sort(key=lambda row: (row.task, row.seed))
    digest = pack(rows_file(submission, suite.name, audit=audit), done)
    for path in submission.results.glob("*.jsonl"):
        path.unlink()
    submission.note(
        SELF_RUN,
        suite=suite.name,
        suite_hash=suite.hash,
        sources=submission.sources,
        isolation=confinement.isolation,
        audit=audit,
        rows=len(done),
        rows_sha256=digest,
        failed=sum(row.error is not None and not row.refused for row in done),
        date=today.isoformat(),
    )
    return done


def completed(
    submission: Submission,
    suite: Suite,
    store: Store,
    done: Sequence[Row],
    confinement: Confinement,
    *,
    refusals: Callable[[Sequence[str], Entrant], list[Row]] = lambda families, about: [],
    workers: int | None = None,
    progress: Advance = silent,
) -> list[Row]:
    """Play the seeds for which a submission has no rows, and append the new rows to a store.

    Parameters
    ----------
    submission, suite, store, confinement
    done : sequence of Row
        Existing rows of these sources and this confinement.
    refusals : callable
        Takes the families that the agent plays; returns rows of refusals besides its own.

    Returns
    -------
    list of Row
        Existing and new rows.

    Raises
    ------
    SubmissionError
        If the agent cannot be made or plays no task of the suite.
    OSError
        If the store cannot be written.
    """
    about, rows = playing.entrant(submission, confinement), list(done)
    began, total = time.monotonic(), confinement.total
    with store, playing.staged(submission) as folder:
        description = asking.described(
            submission, folder, suite.tasks, confinement.isolation, total
        )
        wanted, refused = asked_for(description, suite, about)
        known = {*description.plays, *description.refusals}
        refused += refusals([t.family for t in suite.tasks if t.name in known], about)
        there = {(row.task, row.seed) for row in rows}
        fresh = [row for row in refused if (row.task, row.seed) not in there]
        store.append(fresh)
        rows += fresh
        lacking = {
            task: [seed for seed in seeds if (task, seed) not in there]
            for task, seeds in wanted.items()
        }
        left = max(total - (time.monotonic() - began), 1e-3)
        for more in playing.rows(
            submission,
            folder,
            suite,
            lacking,
            replace(confinement, total=left),
            workers=workers or cpu_count(),
            progress=progress,
        ):
            store.append(more)
            rows += more
    return rows


def asked_for(
    description: asking.Description, suite: Suite, about: Entrant
) -> tuple[dict[str, Sequence[int]], list[Row]]:
    """The seeds of the tasks that an agent plays, and a row for each task that it refuses.

    Raises
    ------
    SubmissionError
        If it plays none of the tasks.
    """
    wanted: dict[str, Sequence[int]] = dict.fromkeys(description.plays, suite.seeds)
    refusals = [
        replace(about.row(suite, task), error=description.refusals[task.name], refused=True)
        for task in suite.tasks
        if task.name in description.refusals
    ]
    if not wanted:
        what = f"it plays no task of {suite.name}"
        remedy = f"name another suite, or let it accept one of {', '.join(suite.families)}"
        raise SubmissionError(Problem("", "", what, remedy))
    return wanted, refusals
