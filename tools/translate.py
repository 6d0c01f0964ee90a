"""Gives published rows the keys of the current sources, if these give the same numbers.

``python -m tools.translate`` plays the first seed of every published task and agent again,
or the first N with ``--seeds N``, and compares every bit. If a row of our agents differs, it lists
all rows that differ and writes nothing. Otherwise the published results, those of tuned settings
included, get the keys of `leaderboards.run.keys.sources`. So do the rows of every submission that
replays, and the pages are generated again. Only the keys change. With ``--renamed AGENT`` the
hyperparameters of an agent whose fields have new names change too: a row then gets those of its
text, as a new row would. A submission that does not replay is named and keeps its rows, because its
libraries may compute other bits on another CPU. It takes all suites with a page of their own; with
``--suite libraries-v1`` that one, which needs all libraries of its agents.

With ``--papers`` it does the same for the findings of papers, which takes some minutes: of every
experiment it plays the first seed in the quick form, and compares all bits
(`tools.renewed_keys`). If one differs it names all that do and writes nothing; these
are to be played whole.

The rows of an epoch are not changed: its ledger has their hash, and they name the sources that the
epoch committed to.
"""

import argparse
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from banditgym.files.class_paths import names_own
from leaderboards.run import confinement
from leaderboards.run.entrants import about
from leaderboards.run.keys.sources import of_agent, of_environment
from leaderboards.run.replay import replay
from leaderboards.run.store import keys_file
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store
from leaderboards.submit import replaying
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.catalogue import published as submissions
from leaderboards.submit.published import pack, published_rows, rows_file
from leaderboards.suites.suite import Suite, load
from tools import publish, renewed_keys, tuned_results
from tools.tuned_results import FOLDER as TUNED

TRANSLATED = "keys translated"  # event of a submission's ledger


def translated(
    suite: Suite,
    rows: list[Row],
    key: Callable[[str], str],
    hyperparameters: Mapping[str, dict[str, Any]],
) -> list[Row]:
    """The rows with the keys of the current sources.

    Parameters
    ----------
    rows : list of Row
        Of this suite.
    key : callable
        Takes an agent's spec; returns its key.
    hyperparameters : mapping of str to dict
        By spec, in place of those of the rows.
    """
    environments = {task.name: of_environment(task) for task in suite.tasks}
    return [
        replace(
            row,
            sources=key(row.spec),
            environment=environments[row.task],
            hyperparameters=hyperparameters.get(row.spec, row.hyperparameters),
        )
        for row in rows
    ]


def renamed_hyperparameters(rows: list[Row], renamed: Collection[str]) -> dict[str, dict[str, Any]]:
    """By spec: the hyperparameters that its text gives now, if its rows have others.

    Raises
    ------
    ValueError
        If an agent of this package that is not among ``renamed`` has rows with others.
    """
    before = {row.spec: row.hyperparameters for row in rows if names_own(row.spec)}
    now = {spec: about(spec)[1]["hyperparameters"] for spec in before}
    other = [spec for spec in before if now[spec] != before[spec]]
    if wrong := [spec for spec in other if spec not in renamed]:
        lines = [f"{spec}: {before[spec]}, now {now[spec]}" for spec in wrong]
        first = "rows have other hyperparameters; if only the names are new, give --renamed:"
        raise ValueError("\n".join([first, *lines]))
    return {spec: now[spec] for spec in other}


def own_differences(suite: Suite, rows: list[Row], n_seeds: int, workers: int | None) -> list[str]:
    """One line for each row on the first seeds that differs or cannot be played."""
    first = suite.first(n_seeds)
    sample = [row for row in rows if row.seed in first.seeds]
    shown = {(row.task, row.spec) for row in sample}
    unshown = {(row.task, row.spec) for row in rows if not row.refused} - shown
    found = replay(first, sample, workers=workers)
    return found + [f"{spec} on {task}: no row of these seeds" for task, spec in sorted(unshown)]


def submission_differences(
    submission: Submission, suite: Suite, rows: list[Row], n_seeds: int, workers: int | None
) -> list[str]:
    """The same for a submission's rows, in the best available sandbox."""
    sample = [row for row in rows if row.seed < n_seeds and not row.refused]
    where, _ = confinement.best(audit=any(row.audit for row in rows))
    return replaying.replay(submission, suite, sample, confinement=where, workers=workers)


def translate(
    suite: Suite,
    folder: Path,
    n_seeds: int,
    workers: int | None = None,
    renamed: Collection[str] = (),
) -> tuple[int, list[str]]:
    """Translate all published rows of a suite in a folder.

    Parameters
    ----------
    n_seeds : int
        How many seeds are played again.
    workers : int, optional
        How many cells run at a time.
    renamed : collection of str
        Agents of this package whose rows also get the hyperparameters that their texts make now.

    Returns
    -------
    written : int
        How many rows have new keys.
    kept : list of str
        One line for each row of a submission that differs; the submission is unchanged.

    Raises
    ------
    ValueError
        If a number of this package's agents differs, or the hyperparameters of one that is not
        ``renamed``; the message names every such row or agent. Nothing is written then.
    """
    results = publish.results_of(suite, folder)
    paths = [results / place / f"{suite.name}.jsonl.gz" for place in ("", TUNED)]
    own = {path: Store(path.parent).rows(suite.hash) for path in paths}
    every = [row for rows in own.values() for row in rows]
    hyperparameters = renamed_hyperparameters(every, renamed)
    if found := own_differences(suite, every, n_seeds, workers):
        raise ValueError("\n".join(["these rows differ:", *found]))
    kept: list[str] = []
    todo: list[tuple[list[Row], list[Row], Callable[[list[Row]], object]]] = []
    for path, rows in own.items():
        new = translated(suite, rows, cache(of_agent), hyperparameters)
        todo.append((rows, new, partial(_write, path, rows)))
    for submission in submissions(folder / "submissions"):
        for audit in (False, True):
            if rows := published_rows(submission, suite, audit=audit):
                if found := submission_differences(submission, suite, rows, n_seeds, workers):
                    kept += found
                    continue
                new = translated(suite, rows, lambda spec, key=submission.sources: key, {})
                todo.append((rows, new, partial(_publish, submission, suite, audit)))
    written = 0
    for before, after, write in todo:
        if before != after:
            write(after)
            written += len(after)
    tuned_results.rename_sources(results, suite, cache(of_agent))
    return written, kept


def _write(path: Path, before: list[Row], rows: list[Row]) -> None:
    """Write the new keys, and the rows too if more is new."""
    bare, keys = keys_file.apart(rows)
    if bare != [replace(row, sources="", environment="") for row in before]:
        pack(path, bare)
    keys_file.write(path, keys)


def _publish(submission: Submission, suite: Suite, audit: bool, rows: list[Row]) -> None:
    digest = pack(rows_file(submission, suite.name, audit=audit), rows)
    submission.note(
        TRANSLATED,
        suite=suite.name,
        suite_hash=suite.hash,
        sources=submission.sources,
        audit=audit,
        rows=len(rows),
        rows_sha256=digest,
        date=date.today().isoformat(),
    )


def main() -> None:
    """Translate the published rows of this checkout, and generate its pages."""
    parser = argparse.ArgumentParser(prog="python -m tools.translate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="play the first N seeds again")
    parser.add_argument("--workers", type=int, help="how many cells run at a time")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--suite", help="the suite of the results, by default all")
    which.add_argument("--papers", action="store_true", help="the findings of papers instead")
    parser.add_argument(
        "--renamed", nargs="+", default=(), metavar="AGENT", help="write its hyperparameters anew"
    )
    chosen = parser.parse_args()
    try:
        if chosen.papers:
            folder = publish.FOLDER / "results" / "papers"
            written = renewed_keys.renew(folder, chosen.workers)
            print(f"{len(written)} experiments have new keys, and the same numbers")
            return
        written, kept = 0, []
        suites = [load(chosen.suite)] if chosen.suite else publish.suites(publish.FOLDER)
        for suite in suites:
            more, these = translate(
                suite, publish.FOLDER, chosen.seeds, chosen.workers, chosen.renamed
            )
            written, kept = written + more, kept + these
        for name, text in publish.pages(publish.FOLDER).items():
            whole_files.write(publish.FOLDER / name, text)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(f"{written} rows have new keys, and the same numbers")
    for one in kept:
        print(f"not translated: {one}")


if __name__ == "__main__":
    main()
