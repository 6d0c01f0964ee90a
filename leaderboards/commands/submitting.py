"""``banditgym submit``: new, check, run, verify, replay and withdraw.

Each command imports the slow modules that it needs.
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboards.commands import options
from leaderboards.commands.messages_out import say, tell, tell_compared
from leaderboards.defaults import SUITE, VERIFICATION

if TYPE_CHECKING:
    from leaderboards.run.confinement import Confinement
    from leaderboards.submit.catalogue import Submission

app = options.group("Enter your own agent: check it, score it, publish it.")

Folder = Annotated[Path, typer.Argument(help="The submission's folder.")]


@app.command("new")
def new(folder: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Write a working example: submission.toml and agent.py."""
    from leaderboards.submit.starting import write

    written = write(folder)
    print(f"wrote {', '.join(path.name for path in written)} to {folder}")
    print(f"change both files, then run: banditgym submit check {folder}")


@app.command("check")
def check(folder: Folder) -> None:
    """Check the files and the agent, and play short episodes.

    One episode is played for each family that the agent accepts.
    """
    from leaderboards.submit.checking import check as run
    from leaderboards.submit.starting import unchanged

    with _opened(folder) as submission:
        print(f"submission.toml is in order: {submission.manifest.title}")
        if keys := unchanged(submission.manifest):
            print(f"it still has the example's {', '.join(keys)}: change them before you publish")
        run(submission, confinement=_confinement(), say=tell)
    print(f"no problems; score it with: banditgym submit run {folder}")


@app.command("run")
def run(
    folder: Folder,
    suite: options.SuiteName = SUITE,
    out: Annotated[
        Path | None, typer.Option(help="File for the table, in Markdown; stdout by default.")
    ] = None,
    workers: options.Workers = None,
    audit: options.Audit = False,
) -> None:
    """Score a submission on a suite's public seeds, and write the rows into its folder.

    A maintainer publishes them by merging the folder. The run can be stopped at any time; the next
    call continues from there. The rows of --one-process-per-replicate go to a separate file.
    """
    from banditgym.files import whole_files
    from leaderboards.console.progress import bar
    from leaderboards.submit import published, scoring, submission_tables
    from leaderboards.suites.suite import load

    with _opened(folder) as submission:
        chosen = load(suite)
        with bar(submission.manifest.name) as progress:
            rows = scoring.self_run(
                submission,
                chosen,
                confinement=_confinement(audit=audit),
                workers=workers,
                today=date.today(),
                progress=progress,
            )
        today = date.today().isoformat()
        scored = submission_tables.scored(submission, chosen, rows, today)
        text = submission_tables.of_one(scored)
    if out is None:
        print(text)
    else:
        whole_files.write(out, text)
        say(f"wrote {out}")
    say(f"rows are in {published.rows_file(submission, chosen.name, audit=audit)}")


@app.command("replay")
def replay(
    folder: Folder,
    suite: options.SuiteName = SUITE,
    epoch: Annotated[
        str | None,
        typer.Option(help="Play the rows of this revealed epoch instead of a suite's."),
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Only this task; repeatable.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Only the first N seeds of a task.")] = None,
    workers: options.Workers = None,
) -> None:
    """Play the rows in a submission's folder again, and compare every bit.

    Exits 1 if anything differs.
    """
    from leaderboards.console.progress import bar
    from leaderboards.submit import published, replaying
    from leaderboards.submit.epochs import stages as holding
    from leaderboards.suites.suite import load

    if seeds is not None and not seeds >= 1:
        raise ValueError(f"seeds must be >= 1, got {seeds}")
    with options.fresh_caches(), _opened(folder) as submission:
        if epoch is None:
            chosen = load(suite)
            rows = published.published_rows(submission, chosen)
        else:
            chosen, rows = holding.replayable(epoch)
            rows = [row for row in rows if row.spec == submission.spec]
        rows = [row for row in rows if seeds is None or row.seed < seeds]
        if task:
            unknown = sorted(set(task) - {one.name for one in chosen.tasks})
            if unknown:
                raise ValueError(f"{chosen.name} has no task {unknown[0]!r}")
            rows = [row for row in rows if row.task in task]
        played = [row for row in rows if not row.refused]
        if not played:
            raise ValueError(f"{folder} has no rows of this version on {chosen.name}")
        with bar(submission.manifest.name, kept=False) as progress:
            differences = replaying.replay(
                submission,
                chosen,
                played,
                confinement=_confinement(audit=any(row.audit for row in played)),
                workers=workers,
                progress=progress,
            )
    tell_compared(len(played), differences)


@app.command("verify")
def verify(
    folder: Folder,
    epoch: Annotated[str, typer.Option(help="The id of an epoch, or the path of its file.")],
    secret: Annotated[Path, typer.Option(help="The epoch's secret file.")],
    store: options.BesideSecret = None,
    workers: options.Workers = None,
    limit: Annotated[
        float, typer.Option(help="Seconds that it may take, summed over its workers.")
    ] = VERIFICATION,
    audit: options.Audit = False,
) -> None:
    """Score a submission on held-out seeds, as the maintainer.

    A version is verified once per epoch. Its scores are shown when the epoch is revealed.
    """
    from leaderboards.console.progress import bar
    from leaderboards.submit.epochs import verification

    with (
        options.fresh_caches(),
        _opened(folder) as submission,
        bar(submission.manifest.name, kept=False) as progress,
    ):
        done = verification.verify(
            submission,
            epoch,
            secret,
            store,
            confinement=replace(_confinement(audit=audit), total=limit),
            workers=workers,
            today=date.today(),
            progress=progress,
        )
    print(f"{submission.manifest.title} is verified in {done.id}: scores are shown {done.reveals}")


@app.command("withdraw")
def withdraw(
    folder: Folder,
    why: Annotated[str, typer.Option(help="The reason, which the ledger keeps.")],
) -> None:
    """Remove a version from the table. Its ledger and rows stay."""
    from banditgym.validation import visible
    from leaderboards.submit.catalogue import WITHDRAWN

    reason = " ".join(visible(why).split())
    if not reason or len(reason) > 300:
        raise ValueError("--why must be a reason of 1 to 300 characters")
    with _opened(folder) as submission:
        if submission.withdrawn():
            raise ValueError(f"{submission.manifest.title} is already withdrawn")
        submission.note(WITHDRAWN, why=reason, date=date.today().isoformat())
    print(f"{submission.manifest.title} is withdrawn")


def _confinement(*, audit: bool = False) -> "Confinement":
    """The best isolation that this machine has; prints the reason if it is not full."""
    from leaderboards.run.confinement import best

    found, reason = best(audit=audit)
    if reason is not None:
        say(f"isolation is {found.isolation!r}, so nothing can be verified here: {reason}")
    return found


@contextlib.contextmanager
def _opened(folder: Path) -> "Iterator[Submission]":
    """A submission; its problems, now and later, are printed one per line, with exit code 2."""
    from leaderboards.submit.catalogue import opened
    from leaderboards.submit.problems import SubmissionError

    if sys.platform == "win32":
        raise ValueError("others' code is played on Linux and macOS alone; here, try WSL")
    try:
        with options.nothing_from_here():
            yield opened(folder)
    except SubmissionError as error:
        for problem in error.problems:
            say(f"error: {problem}")
        raise typer.Exit(2) from None
