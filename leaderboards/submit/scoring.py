"""Scores a submission on a suite's public seeds, and plays published rows again.

What was scored on public seeds is called self-run: any agent that imports banditgym can rebuild
the environments of such seeds, so these scores rest on its code being read.
"""

import gzip
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from loky import cpu_count

from leaderboards.board import Board, build
from leaderboards.entrants import Entrant
from leaderboards.lines import LaterError, Row, as_line, read_line
from leaderboards.progress import Advance, silent
from leaderboards.store import Store
from leaderboards.submit import asking, playing
from leaderboards.submit.catalogue import SELF_RUN, Submission
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.suite import Suite

LARGEST = 2**26  # bytes of published rows, unpacked


@dataclass(frozen=True)
class Difference:
    """A published row that was played again, and came out otherwise."""

    task: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.task}, seed {self.seed}: {self.what}"


def entrant(submission: Submission, isolation: str) -> Entrant:
    """What every row of a submission says of it."""
    manifest = submission.manifest
    return Entrant(
        about={
            "agent": manifest.name,
            "spec": submission.spec,
            "hyperparameters": manifest.hyperparameters,
            "sources": submission.sources,
            "facts": list(manifest.facts),
            "paper": manifest.paper,
            "full_information": False,
            "isolation": isolation,
        },
        agent=None,
    )


def published_rows(submission: Submission, suite: Suite) -> list[Row]:
    """The published rows of this version on a suite; none if there are none.

    Raises
    ------
    SubmissionError
        If their file is none, or holds rows of something else.
    """
    return packed_rows(
        rows_file(submission, suite.name), {"spec": submission.spec, "suite": suite.hash}
    )


def rows_file(submission: Submission, suite: str) -> Path:
    """Where the rows of this version on a suite are published."""
    return submission.results / f"{submission.manifest.version}.{suite}.jsonl.gz"


def packed_rows(path: Path, expected: Mapping[str, str]) -> list[Row]:
    """The rows of a packed file, which is not believed: each must say what is expected of it.

    Raises
    ------
    SubmissionError
        If it is a link, too large, damaged, or holds anything else.
    """
    name = f"{path.parent.name}/{path.name}"

    def refuse(what: str) -> SubmissionError:
        remedy = "remove the file and run banditgym submit run again"
        return SubmissionError([Problem(name, "", what, remedy)])

    if path.parent.is_symlink():
        raise refuse("its folder is a symbolic link")
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise refuse(f"it cannot be read: {error.strerror}") from None
    try:
        with os.fdopen(number, "rb") as file, gzip.open(file) as unpacked:
            contents = unpacked.read(LARGEST + 1)
    except (OSError, EOFError, ValueError):
        raise refuse("it is cut or damaged") from None
    if len(contents) > LARGEST:
        raise refuse(f"it holds more than {LARGEST // 2**20} MiB")
    found = []
    for line in contents.splitlines():
        try:
            row = read_line(line)
        except LaterError:
            raise refuse("a later version of banditgym wrote it") from None
        except (ValueError, RecursionError):
            raise refuse("it holds a line that is no result") from None
        for field, value in expected.items():
            if getattr(row, field) != value:
                raise refuse(f"it holds a row whose {field} is not {value}")
        found.append(row)
    return found


def self_run(
    submission: Submission,
    suite: Suite,
    *,
    isolation: str,
    workers: int | None = None,
    today: date,
    progress: Advance = silent,
) -> list[Row]:
    """Play what is not yet published of a version on a suite, and publish it in its folder.

    Rows are kept as they come, so a run that was stopped goes on where it was.

    Raises
    ------
    SubmissionError
        If the agent cannot be made or plays no task of the suite.
    OSError
        If the folder cannot be written.
    """
    about = entrant(submission, isolation)
    done = [row for row in published_rows(submission, suite) if row.isolation == isolation]
    left = Store(submission.results)
    done += [row for row in left.rows(suite.hash) if row.spec == submission.spec]
    done = _first({row.key: row for row in reversed(done) if row.isolation == isolation}.values())
    with playing.staged(submission) as folder, left:
        description = asking.described(submission, folder, suite.tasks, isolation)
        wanted, refusals = asked_for(description, suite, about)
        left.append(refusals)
        done += refusals
        keys = {(row.task, row.seed) for row in done if row.sources == submission.sources}
        lacking = {
            task: [seed for seed in seeds if (task, seed) not in keys]
            for task, seeds in wanted.items()
        }
        for rows in playing.rows(
            submission, folder, suite, lacking, about,
            workers=workers or cpu_count(), progress=progress,
        ):  # fmt: skip
            left.append(rows)
            done += rows
    done = _first(row for row in done if row.sources == submission.sources)
    done.sort(key=lambda row: (row.task, row.seed))
    digest = pack(rows_file(submission, suite.name), done)
    for path in submission.results.glob("*.jsonl"):
        path.unlink()
    submission.ledger.append(
        {
            "event": SELF_RUN,
            "name": submission.manifest.name,
            "version": submission.manifest.version,
            "hash": submission.folder.hash,
            "suite": suite.name,
            "suite_hash": suite.hash,
            "sources": submission.sources,
            "isolation": isolation,
            "rows": len(done),
            "rows_sha256": digest,
            "failed": sum(row.error is not None and not row.refused for row in done),
            "date": today.isoformat(),
        }
    )
    return done


def asked_for(
    description: asking.Description, suite: Suite, about: Entrant
) -> tuple[dict[str, Sequence[int]], list[Row]]:
    """The seeds of the tasks that an agent plays, and a row for each task that it refuses.

    Raises
    ------
    SubmissionError
        If it plays none of them.
    """
    wanted: dict[str, Sequence[int]] = dict.fromkeys(description.plays, suite.seeds)
    refusals = [
        replace(about.row(suite, task), error=description.refusals[task.name], refused=True)
        for task in suite.tasks
        if task.name in description.refusals
    ]
    if not wanted:
        families = ", ".join(dict.fromkeys(task.family for task in suite.tasks))
        what = f"it plays no task of {suite.name}"
        remedy = f"name another suite, or let it accept one of {families}"
        raise SubmissionError([Problem("", "", what, remedy)])
    return wanted, refusals


def pack(path: Path, rows: Iterable[Row]) -> str:
    """Write rows into one packed file, in one step; the SHA-256 of their lines."""
    # Sorted and without a time of writing: equal results are equal files.
    lines = b"".join(sorted(map(as_line, rows)))
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_bytes(gzip.compress(lines, mtime=0))
    new.replace(path)
    return hashlib.sha256(lines).hexdigest()


def board(submission: Submission, suite: Suite, rows: Sequence[Row]) -> Board:
    """The board of one submission: its scores, without anybody beside."""
    return build(suite, [row for row in rows if row.spec == submission.spec])


def replay(
    submission: Submission,
    suite: Suite,
    rows: Sequence[Row],
    *,
    isolation: str,
    workers: int | None = None,
    progress: Advance = silent,
) -> list[Difference]:
    """Play rows again, and compare every bit of their curves.

    Faults of the sandbox are applied from the rows, not found anew.

    Parameters
    ----------
    submission : Submission
    suite : Suite
        With hidden seeds, where the rows are an epoch's.
    rows : sequence of Row
        Of this submission and this suite.
    isolation : str
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
            submission, folder, suite, tasks, entrant(submission, isolation),
            workers=workers or cpu_count(), recorded=recorded, progress=progress,
        ):  # fmt: skip
            for row in found:
                before = expected.pop((row.task, row.seed))
                if what := _difference(before, row):
                    differences.append(Difference(row.task, row.seed, what))
    differences += [Difference(*cell, "it was not played") for cell in expected]
    return sorted(differences, key=lambda one: (one.task, one.seed))


def _difference(before: Row, now: Row) -> str | None:
    """How a row differs, None if no bit of its curves does."""
    if before.error is not None or now.error is not None:
        same = (before.error is None) == (now.error is None)
        return None if same else f"published {before.error!r}, now {now.error!r}"
    if before.rounds != now.rounds:
        return "the rounds are others"
    assert before.measures is not None
    assert now.measures is not None
    for name, curve in before.measures.items():
        other = now.measures.get(name)
        if other is None or curve != other:
            return f"{name} ends at {curve[-1]!r}, now {other[-1] if other else None!r}"
    return None


def _first(rows: Iterable[Row]) -> list[Row]:
    """One row for each task and seed, the first."""
    found: dict[tuple[str, int], Row] = {}
    for row in rows:
        found.setdefault((row.task, row.seed), row)
    return list(found.values())
