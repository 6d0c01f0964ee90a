"""Judges a folder on a task's instances, and answers with one document of plain data.

The document on hidden instances holds nothing that the folder's code wrote, and no number of a
single seed: an agent is given the settings of hidden instances, and could write them there.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from loky import cpu_count

from banditgym.compiled.cache import source_hash
from leaderboards.processes.interrupts import attempt
from leaderboards.rank.interval_estimates import percentile_interval
from leaderboards.rank.scores_and_ranks import score_draws, task_scores
from leaderboards.run.confinement import Confinement
from leaderboards.run.outcomes import outcome
from leaderboards.run.store.row_schema import Row
from leaderboards.submit import folder as folders
from leaderboards.submit import manifest as manifests
from leaderboards.submit import playing
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.judge import judged_tasks
from leaderboards.submit.judge.judged_tasks import PUBLIC
from leaderboards.submit.ledger import Ledger, events
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.suites.baselines_file import baseline_of
from leaderboards.suites.resources import Resources
from leaderboards.suites.suite import Suite

TOTAL = 600.0  # seconds that all instances may take, summed over the workers that play them
FOLDER, UNPLAYED, JUDGE = "folder", "unplayed", "judge"  # faults beside those of the sandbox
MOST_ATTEMPTS = 1000
MADE, BEGUN, ENDED = "made", "begun", "ended"  # events of a secret's ledger
_DECIMALS = 3  # of a score: more would only tell an agent's author more of the instances


def new_secret(name: str, path: Path, attempts: int, today: date) -> None:
    """Draw a secret for a task, and begin the ledger beside it with the number of attempts.

    Raises
    ------
    ValueError
        If there is no such task, there are too many attempts for a ledger, or the files exist or
        cannot be written.
    """
    if not 1 <= attempts <= MOST_ATTEMPTS:
        raise ValueError(f"attempts must be in 1..{MOST_ATTEMPTS}, got {attempts}")
    _, ranges = judged_tasks.chosen(name)
    ledger = ledger_of(path)
    if os.path.lexists(ledger.path):
        raise ValueError(f"{ledger.path} already exists: name a new file for the secret")
    secret = epochs.new_secret(path)
    ledger.append(
        {"event": MADE, "task": name, "ranges": ranges.hash, "attempts": attempts,
         "secret_sha256": epochs.digest(secret), "date": today.isoformat()}
    )  # fmt: skip


@epochs.alone
def judge(
    path: Path, secret_path: Path, *, confinement: Confinement, workers: int | None, today: date
) -> dict[str, Any]:
    """Judge a folder on the hidden instances of a secret; this uses up one of its attempts.

    The attempt is in the ledger before the folder is read, so one that is stopped counts too.

    Raises
    ------
    ValueError
        If no attempt is left, or the files are not those of a secret. Nothing was judged then.
    """
    secret, ledger = epochs.read_secret(secret_path), ledger_of(secret_path)
    made, used = _rules(secret_path, secret, ledger)
    if secret_path.resolve().is_relative_to(path.resolve()):
        raise ValueError(f"{secret_path} lies in the folder that is judged: move it elsewhere")
    used += 1
    ledger.append({"event": BEGUN, "attempt": used, "date": today.isoformat()})
    found, error = attempt(
        partial(_judged, path, made["task"], secret, confinement, workers, lambda text: None)
    )
    if error is not None:  # its text could hold what is hidden
        found = _document(made["task"], confinement, [JUDGE])
    found |= {"attempts_used": used, "attempts_allowed": made["attempts"]}
    ledger.append({"event": ENDED, **found, "date": today.isoformat()})
    return found


def rehearse(
    path: Path,
    name: str,
    *,
    confinement: Confinement,
    workers: int | None,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Judge a folder on the public instances of a task, and say what is wrong, a line for each.

    The document also has the score of every instance.

    Raises
    ------
    ValueError
        If there is no such task.
    """
    judged_tasks.chosen(name)
    return _judged(path, name, PUBLIC, confinement, workers, say)


def ledger_of(secret: Path) -> Ledger:
    """The ledger beside a secret, with its attempts."""
    return Ledger(secret.with_name(f"{secret.name}.ledger.jsonl"))


def resources_of(suite: Suite) -> Resources:
    """What an agent may use: the suite's class, with shorter waits for one that sleeps."""
    assert suite.resources is not None
    return replace(suite.resources, wall=20.0, start_wall=120.0)


def _rules(path: Path, secret: bytes, ledger: Ledger) -> tuple[dict[str, Any], int]:
    """The entry that a secret's ledger begins with, and the number of attempts so far."""
    entries = ledger.entries()
    made = entries[0] if events(entries[:1], MADE) else {}
    if made.get("secret_sha256") != epochs.digest(secret):
        raise ValueError(
            f"{ledger.path} is not the ledger of {path}: make both with banditgym task secret"
        )
    if made["ranges"] != judged_tasks.chosen(made["task"])[1].hash:
        raise ValueError(
            f"{path} was made for other ranges of {judged_tasks.SUITE}: make a new one"
        )
    used = len(events(entries, BEGUN))
    if used >= made["attempts"]:
        raise ValueError(
            f"all {made['attempts']} attempts of {path} are used: make a new secret with "
            "banditgym task secret"
        )
    return made, used


def _judged(
    path: Path,
    name: str,
    secret: bytes,
    confinement: Confinement,
    workers: int | None,
    say: Callable[[str], None],
) -> dict[str, Any]:
    try:
        submission = _read(path, secret)
    except SubmissionError as error:
        for problem in error.problems:
            say(str(problem))
        return _document(name, confinement, [FOLDER])
    suite = judged_tasks.drawn(name, secret)
    confinement = replace(confinement, resources=resources_of(suite), total=TOTAL)
    uniform = np.stack([_uniform(suite, i) for i in range(len(suite.tasks))], axis=1)
    with playing.staged(submission) as folder:
        wanted = {task.name: suite.seeds for task in suite.tasks}
        count = workers or cpu_count()
        played = playing.rows(submission, folder, suite, wanted, confinement, workers=count)
        rows = [row for some in played for row in some]
    for text in dict.fromkeys(f"{row.task}: {row.error}" for row in rows if row.error):
        say(text)
    faults = {kind for row in rows for _, kind in row.faults}
    document = _document(name, confinement, faults | ({UNPLAYED} if _lacks(rows) else set()))
    document["hash"] = submission.folder.hash
    if _lacks(rows):
        return document
    regret = {(row.task, row.seed): (row.measures or {})["regret"][-1] for row in rows}
    own = np.array([[regret[task.name, seed] for task in suite.tasks] for seed in suite.seeds])
    with np.errstate(over="ignore", invalid="ignore"):
        scores, draws = task_scores(uniform - own, uniform), score_draws(uniform - own, uniform)
        estimate = percentile_interval(scores.mean(), draws.mean(axis=-1), n_seeds=len(suite.seeds))
    value, low, high = (round(float(x), _DECIMALS) for x in estimate)
    if not np.isfinite([value, low, high]).all():  # of regrets whose sum overflows
        return document | {"faults": sorted({*faults, UNPLAYED})}
    document |= {"score": value, "interval": [low, high]}
    if secret == PUBLIC:
        pairs = zip(suite.tasks, scores, strict=True)
        document["scores"] = {task.name: round(float(x), _DECIMALS) for task, x in pairs}
    return document


def _read(path: Path, secret: bytes) -> Submission:
    """The folder's files, read once.

    Raises
    ------
    SubmissionError
        If they are not those of a submission, or one holds the secret: a link to its file, or a
        folder that became one while it was read.
    """
    folder = folders.read(path)
    if secret != PUBLIC and any(secret.hex().encode() in data for data in folder.files.values()):
        raise SubmissionError(Problem("", "", "a file holds the secret", "remove it"))
    return Submission(folder, manifests.read(folder))


def _uniform(suite: Suite, i: int) -> np.ndarray:
    """The regret (S,) of uniform play, which scores 0, on the seeds of the suite's task i."""
    task = suite.tasks[i]
    found = outcome(task, baseline_of(task.family), suite.seeds)
    return np.array([curve[-1] for curve in found["measures"]["regret"]])


def _lacks(rows: Sequence[Row]) -> bool:
    return any(row.error is not None for row in rows)


def _document(name: str, confinement: Confinement, faults: Any) -> dict[str, Any]:
    """A document without a score."""
    return {
        "task": name,
        "score": None,
        "interval": None,
        "faults": sorted(faults),
        "isolation": confinement.isolation,
        "hash": None,
        "sources": source_hash(),
    }
