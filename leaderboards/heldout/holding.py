"""An epoch's life: commit, play, verify submissions, reveal, and load its rows for a replay.

The maintainer's machine has the secret and a store of rows of results. A row names a replicate by
its number and never by its seed. Before the reveal only the epoch's file and its ledger are public.
The ledger says which agents were scored and has keyed hashes of their rows, but no scores.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from agents.naming import own_agents
from banditgym.source_files import source_hash
from leaderboards.console.progress import Advance, silent
from leaderboards.heldout import epoch as epochs
from leaderboards.heldout import lock as locks
from leaderboards.heldout import ranges as ranges_of
from leaderboards.heldout.auditing import (
    BEGUN,
    ENDED,
    OPENED,
    REVEALED,
    broken,
    digest,
    keyed_digest,
    ledger_of,
    lock_of,
    rows_of,
    with_seed,
)
from leaderboards.heldout.epoch import Epoch
from leaderboards.heldout.instances import Instances, instances
from leaderboards.lines import SCHEMA, Row
from leaderboards.run import runner
from leaderboards.run.confinement import Confinement
from leaderboards.run.entrants import Entrant, entrants
from leaderboards.store import Store
from leaderboards.submit import asking, published, scoring
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.manifest import canonical
from leaderboards.suite import Suite, load

NEEDED = "full"  # the isolation that verification needs


def new(
    path: Path,
    secret_path: Path,
    *,
    suite: str,
    draws: int,
    replicates: int,
    maintainer: str,
    committed: date,
    closes: date,
    reveals: date,
    demonstration: bool,
) -> Epoch:
    """Draw a secret, lock the packages, and write the epoch's file.

    Raises
    ------
    ValueError
        If the epoch exists already, the secret cannot be written to this file, or the packages
        cannot be locked.
    """
    if path.exists():
        raise ValueError(f"{path} already exists: an epoch is never written twice")
    chosen = load(suite)
    ranges = ranges_of.load(chosen, ranges_of.path_of(suite))
    path.parent.mkdir(parents=True, exist_ok=True)
    locks.write(lock_of(path))
    secret = epochs.new_secret(secret_path)
    try:
        epoch = Epoch(
            id=path.stem,
            demonstration=demonstration,
            maintainer=maintainer,
            suite=suite,
            suite_hash=chosen.hash,
            ranges=ranges.hash,
            resources=None if chosen.resources is None else chosen.resources.hash,
            sources=source_hash(),
            lock=locks.digest(lock_of(path)),
            secret_sha256=epochs.digest(secret),
            draws=draws,
            replicates=replicates,
            committed=committed,
            closes=closes,
            reveals=reveals,
        )
    except ValueError:
        secret_path.unlink()
        lock_of(path).unlink()
        raise
    epochs.write(epoch, path)
    return epoch


@epochs.alone
def open_(
    name: str | Path,
    secret_path: Path,
    store: Path | None = None,
    *,
    agents: Sequence[str] | None = None,
    workers: int | None = None,
    limit: float = runner.LIMIT,
    today: date,
    progress: Advance = silent,
) -> int:
    """Play the baselines, the references and our agents on the epoch's instances.

    A stopped call can be repeated and continues where it was. Returns the number of rows.

    Parameters
    ----------
    agents : sequence of str, optional
        Only these of our agents; all by default.

    Raises
    ------
    ValueError
        If the sources, the packages, the suite or the secret differ from those committed to.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    ledger = ledger_of(path)
    _check_frozen(path, epoch)
    drawn = instances(epoch, epoch.unlocked(secret_path))
    folder = Store(store or store_of(secret_path))
    runner.run(
        drawn.suite, agents, store=folder, workers=workers, limit=limit, progress=progress
    )  # fmt: skip
    with folder:
        there = {row.key for row in folder.rows(epoch.hash)}
        for one in entrants(agents or list(own_agents())):
            families = [kind.family for kind in one.agent.accepts] if one.agent else []
            refused = _refused_draws(drawn, drawn.suite, families, one)
            folder.append(row for row in refused if row.key not in there)
    rows = folder.rows(epoch.hash)
    if not any(entry.get("event") == OPENED for entry in ledger.entries()):
        failed = sum(row.error is not None and not row.refused for row in rows)
        ledger.append(
            {
                "event": OPENED,
                "epoch": epoch.hash,
                "sources": source_hash(),
                "agents": len({row.spec for row in rows}),
                "rows": len(rows),
                "failed": failed,
                "schema": SCHEMA,
                "rows_sha256": digest(rows),
                "date": today.isoformat(),
            }
        )
    return len(rows)


@epochs.alone
def verify(
    submission: Submission,
    name: str | Path,
    secret_path: Path,
    store: Path | None = None,
    *,
    confinement: Confinement,
    workers: int | None = None,
    today: date,
    progress: Advance = silent,
) -> Epoch:
    """Score a submission on an epoch's instances, once.

    The ledger records the start before anything is played, and the end. A stopped verification
    continues only with the same files.

    Raises
    ------
    ValueError
        If the isolation is not full; the epoch is closed, revealed or not yet open; this version
        was verified in it before; anything differs from what was committed to; or the agent cannot
        be made.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    ledger = ledger_of(path)
    if confinement.isolation != NEEDED:
        raise ValueError(
            f"verification needs the isolation {NEEDED!r}, and here it is "
            f"{confinement.isolation!r}: an agent must reach neither the seeds nor the store"
        )
    if epoch.secret is not None or today > epoch.closes:
        raise ValueError(f"epoch {epoch.id} closed on {epoch.closes}")
    if submission.withdrawn():
        raise ValueError(f"{submission.manifest.title} is withdrawn")
    _check_frozen(path, epoch)
    entries = ledger.entries()
    if not any(entry.get("event") == OPENED for entry in entries):
        raise ValueError(f"epoch {epoch.id} is not open: banditgym epoch open {epoch.id} first")
    drawn = instances(epoch, epoch.unlocked(secret_path))
    about = {
        "epoch": epoch.hash,
        "name": submission.manifest.name,
        "version": submission.manifest.version,
        "hash": submission.folder.hash,
        "isolation": confinement.isolation,
        "audit": confinement.audit,
        "date": today.isoformat(),
    }
    _check_first(entries, about, epoch)
    if not any(_same(entry, about) and entry["event"] == BEGUN for entry in entries):
        ledger.append({"event": BEGUN, **about})
    try:
        rows = _verified(
            submission, drawn, Store(store or store_of(secret_path)), confinement,
            workers, progress,
        )  # fmt: skip
    except ValueError:
        ledger.append({"event": ENDED, **about, "error": "it could not be played"})
        raise
    # The ledger is public, and settings are hidden until the reveal, so the ledger must hold no
    # text and no count that a submission can influence.
    named = keyed_digest(rows, epoch.unlocked(secret_path))
    ledger.append({"event": ENDED, **about, "schema": SCHEMA, "rows_hmac": named})
    return epoch


@epochs.alone
def reveal(
    name: str | Path, secret_path: Path, store: Path | None = None, *, today: date
) -> list[Row]:
    """Publish the secret, and all rows with their seeds.

    Raises
    ------
    ValueError
        If it is too early, a verification has not ended, or rows are missing or do not match the
        ledger.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    ledger = ledger_of(path)
    if today < epoch.reveals:
        raise ValueError(f"epoch {epoch.id} is revealed on {epoch.reveals}, not before")
    secret = epoch.unlocked(secret_path)
    drawn = instances(epoch, secret)
    entries = ledger.entries()
    if not any(entry.get("event") == OPENED for entry in entries):
        raise ValueError(f"epoch {epoch.id} was never opened")
    stored = Store(store or store_of(secret_path)).rows(epoch.hash)
    _check_complete(entries, stored, secret)
    rows = [with_seed(row, drawn) for row in stored]
    packed = published.pack(rows_of(path), rows)
    if epoch.secret is None:
        epochs.write(epoch.model_copy(update={"secret": secret.hex()}), path)
    if not any(entry.get("event") == REVEALED for entry in entries):
        ledger.append(
            {
                "event": REVEALED,
                "epoch": epoch.hash,
                "rows": len(rows),
                "schema": SCHEMA,
                "rows_sha256": packed,
                "date": today.isoformat(),
            }
        )
    return rows


def replayable(name: str | Path) -> tuple[Suite, list[Row]]:
    """The instances and the rows of a revealed epoch.

    Raises
    ------
    ValueError
        If the epoch is not revealed.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    if epoch.revealed is None:
        raise ValueError(
            f"epoch {epoch.id} is revealed on {epoch.reveals}: until then no seed is known"
        )
    rows = published.packed_rows(rows_of(path), {"suite": epoch.hash})
    return instances(epoch, epoch.revealed).suite, rows


def _check_frozen(path: Path, epoch: Epoch) -> None:
    """Check that sources and packages here are those that the epoch committed to."""
    if source_hash() != epoch.sources:
        raise ValueError(
            f"epoch {epoch.id} was committed to with sources {epoch.sources}, and here they are "
            f"{source_hash()}: check out the version that it names"
        )
    lock = lock_of(path)
    if locks.digest(lock) != epoch.lock:
        raise ValueError(f"{lock.name} is not the lock file that epoch {epoch.id} names")
    if differ := locks.differences(lock):
        raise ValueError(
            f"the packages here are not those of {lock.name}: {'; '.join(differ[:5])}; install "
            f"them with pip install --require-hashes -r {lock}"
        )


def _check_first(entries: list[dict[str, Any]], about: dict[str, Any], epoch: Epoch) -> None:
    """Check that this version was not verified in the epoch, nor started with other files."""
    for entry in entries:
        if entry.get("event") not in (BEGUN, ENDED):
            continue
        if canonical(entry["name"]) != canonical(about["name"]):
            continue
        if entry["version"] != about["version"]:
            continue
        if entry["event"] == BEGUN and entry.get("audit", False) != about["audit"]:
            raise ValueError(
                f"the verification of {about['name']}=={about['version']} was begun "
                f"{'without' if about['audit'] else 'with'} --one-process-per-replicate: go on so"
            )
        if entry["event"] == ENDED or entry["hash"] != about["hash"]:
            raise ValueError(
                f"{about['name']}=={about['version']} was verified in epoch {epoch.id} on "
                f"{entry['date']}: a version is verified once an epoch"
            )


def _same(entry: dict[str, Any], about: dict[str, Any]) -> bool:
    return all(entry.get(key) == about[key] for key in ("name", "version", "hash"))


def _verified(
    submission: Submission,
    drawn: Instances,
    store: Store,
    confinement: Confinement,
    workers: int | None,
    progress: Advance,
) -> list[Row]:
    suite = drawn.suite

    def refused(description: asking.Description, about: Entrant) -> list[Row]:
        return _refused_draws(drawn, suite, _families(description, suite), about)

    done = [row for row in store.rows(suite.hash) if row.spec == submission.spec]
    return scoring.completed(
        submission, suite, store, done, replace(confinement, resources=suite.resources),
        refusals=refused, workers=workers, progress=progress,
    )  # fmt: skip


def _families(description: asking.Description, suite: Suite) -> list[str]:
    """The families with any task that an agent plays or refuses."""
    known = {*description.plays, *description.refusals}
    return [task.family for task in suite.tasks if task.name in known]


def _refused_draws(
    drawn: Instances, suite: Suite, families: Sequence[str], about: Entrant
) -> list[Row]:
    """A row for each draw that the environment refuses, in the families that an agent plays."""
    tasks = {task.name: task for task in load(drawn.of).tasks}
    return [
        replace(
            about.row(suite, replace(tasks[name.partition("/")[0]], name=name)),
            error=f"the environment refuses this draw: {reason}",
            refused=True,
        )
        for name, reason in drawn.refused.items()
        if tasks[name.partition("/")[0]].family in families
    ]


def _check_complete(entries: list[dict[str, Any]], rows: list[Row], secret: bytes) -> None:
    """Check that the rows match the hashes in the ledger."""
    begun = {(e["name"], e["version"]) for e in entries if e.get("event") == BEGUN}
    ended = {(e["name"], e["version"]) for e in entries if e.get("event") == ENDED}
    for name, version in sorted(begun - ended):
        raise ValueError(f"the verification of {name}=={version} has not ended: run it again")
    for what in broken(entries, rows, secret):
        raise ValueError(f"the rows of {what} are not those that the ledger names")


def store_of(secret: Path) -> Path:
    """The default folder of rows until the reveal: beside the secret."""
    return secret.with_name(f"{secret.name}.results")
