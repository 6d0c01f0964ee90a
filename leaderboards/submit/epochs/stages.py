"""The stages of an epoch: commit, play, reveal, and play again; verification has its own module.

The maintainer's machine has the secret and a store of rows of results. A row names a replicate by
its number and never by its seed. Before the reveal only the epoch's file and its ledger are public.
The ledger says which agents were scored and has keyed hashes of their rows, but no scores.
"""

import json
import platform
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from agents.naming import families_of, own_agents
from banditgym.compiled.cache import source_hash
from banditgym.validation import nearest
from leaderboards.console.progress import Advance, silent
from leaderboards.defaults import LIMIT
from leaderboards.run import runner
from leaderboards.run.entrants import entrants
from leaderboards.run.execution import Execution
from leaderboards.run.replay import replay
from leaderboards.run.store.row_schema import SCHEMA, Row
from leaderboards.run.store.store import Store
from leaderboards.submit import published
from leaderboards.submit.epochs import auditing, signatures
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs import lock as locks
from leaderboards.submit.epochs import ranges as ranges_of
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import instances
from leaderboards.submit.ledger import events
from leaderboards.suites.suite import Suite, load


def new(path: Path, secret_path: Path, **choices: Any) -> Epoch:
    """Draw a secret, lock the packages, and write the epoch's file.

    Parameters
    ----------
    choices
        The fields of an `Epoch` that its maintainer chooses, such as ``suite`` and ``draws``.

    Raises
    ------
    ValueError
        If the epoch exists already, the secret cannot be written to this file, or the packages
        cannot be locked.
    """
    if path.exists():
        raise ValueError(f"{path} already exists: an epoch is never written twice")
    chosen = load(choices["suite"])
    ranges = ranges_of.load(chosen, ranges_of.path_of(choices["suite"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    locks.write(auditing.lock_of(path))
    secret = epochs.new_secret(secret_path)
    try:
        epoch = Epoch(
            id=path.stem,
            suite_hash=chosen.hash,
            ranges=ranges.hash,
            resources=None if chosen.resources is None else chosen.resources.hash,
            sources=source_hash(),
            lock=locks.digest(auditing.lock_of(path)),
            secret_sha256=epochs.digest(secret),
            **choices,
        )
    except ValueError:
        secret_path.unlink()
        auditing.lock_of(path).unlink()
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
    limit: float = LIMIT,
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
    auditing.check_frozen(path, epoch)
    drawn = instances(epoch, epoch.unlocked(secret_path))
    folder = Store(store or auditing.store_of(secret_path))
    execution = Execution(workers=workers, limit=limit)
    runner.run(drawn.suite, agents, store=folder, execution=execution, progress=progress)
    with folder:
        there = {row.key for row in folder.rows(epoch.hash)}
        for one in entrants(agents or list(own_agents())):
            families = families_of(type(one.agent)) if one.agent else []
            refused = drawn.refusals(families, one)
            folder.append(row for row in refused if row.key not in there)
    rows = folder.rows(epoch.hash)
    if not events(auditing.ledger_of(path).entries(), auditing.OPENED):
        failed = sum(row.error is not None and not row.refused for row in rows)
        about = {"sources": source_hash(), "agents": len({row.spec for row in rows})}
        about |= {"rows": len(rows), "failed": failed, "schema": SCHEMA}
        auditing.note(
            path, epoch, auditing.OPENED, today, **about, rows_sha256=auditing.digest(rows)
        )
    return len(rows)


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
    if today < epoch.reveals:
        raise ValueError(f"epoch {epoch.id} is revealed on {epoch.reveals}, not before")
    secret = epoch.unlocked(secret_path)
    drawn = instances(epoch, secret)
    entries = auditing.ledger_of(path).entries()
    if not events(entries, auditing.OPENED):
        raise ValueError(f"epoch {epoch.id} was never opened")
    stored = Store(store or auditing.store_of(secret_path)).rows(epoch.hash)
    begun = {(e["name"], e["version"]) for e in events(entries, auditing.BEGUN)}
    for one, version in begun - {
        (e["name"], e["version"]) for e in events(entries, auditing.ENDED)
    }:
        raise ValueError(f"the verification of {one}=={version} has not ended: run it again")
    if wrong := auditing.broken(entries, stored, secret):
        raise ValueError(wrong[0])
    rows = [auditing.with_seed(row, drawn) for row in stored]
    packed = published.pack(auditing.rows_of(path), rows)
    if epoch.secret is None:
        epochs.write(epoch.model_copy(update={"secret": secret.hex()}), path)
    if not events(entries, auditing.REVEALED):
        auditing.note(
            path, epoch, auditing.REVEALED, today, rows=len(rows), schema=SCHEMA, rows_sha256=packed
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
    rows = published.packed_rows(auditing.rows_of(path), {"suite": epoch.hash})
    return instances(epoch, epoch.revealed).suite, rows


def replay_ours(
    name: str | Path,
    agents: Sequence[str] = (),
    *,
    workers: int | None = None,
    progress: Advance = silent,
) -> tuple[int, list[str]]:
    """Play rows of this package's agents in a revealed epoch again.

    Parameters
    ----------
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
    ours = auditing.ours(rows)
    specs = list(dict.fromkeys(row.spec for row in ours))
    for one in agents:
        if one not in specs:
            raise ValueError(f"epoch {suite.name} has no rows of {one!r}{nearest(one, specs)}")
    ours = [row for row in ours if not agents or row.spec in agents]
    return len(ours), replay(suite, ours, workers=workers, progress=progress)


def attest(
    name: str | Path,
    key: Path,
    signer: str,
    *,
    workers: int | None = None,
    today: date,
    progress: Advance = silent,
) -> tuple[int, list[str]]:
    """Play the rows of this package's agents again; if all are equal, sign their hash.

    The statement is written beside the epoch's file, with its signature.

    Returns
    -------
    tuple of int and list of str
        As `replay_ours`: nothing is signed if a row differs.

    Raises
    ------
    ValueError
        If ssh-keygen or the key is missing, or the epoch is not revealed.
    """
    signatures.check(key, signer)
    path = epochs.path_of(name)
    suite, rows = replayable(name)
    count, found = replay_ours(name, workers=workers, progress=progress)
    if found:
        return count, found
    stated = {
        "epoch": suite.hash,
        "rows": count,
        "schema": SCHEMA,
        "rows_sha256": auditing.digest(auditing.ours(rows)),
        "sources": source_hash(),
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "signer": signer,
        "date": today.isoformat(),
    }
    message = (json.dumps(stated, indent=1) + "\n").encode()
    signed = signatures.signature(message, key)
    file = attested(path, signer)
    file.write_bytes(message)
    file.with_name(f"{file.name}.sig").write_bytes(signed)
    return count, []


def attested(path: Path, signer: str) -> Path:
    """The file of a signer's statement about an epoch."""
    return path.with_name(f"{path.stem}.{signer}{auditing.ATTESTED}")
