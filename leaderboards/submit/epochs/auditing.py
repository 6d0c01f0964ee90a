"""Checks that anyone can run on an epoch: its lock file, ledger, secret, seeds and rows."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from banditgym.compiled.cache import source_hash
from leaderboards.run.store.row_schema import SCHEMA, Row, as_line
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs import lock as locks
from leaderboards.submit.epochs import signatures
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import Instances, instances, of_epoch
from leaderboards.submit.ledger import Ledger, events
from leaderboards.submit.published import packed_rows

_ROWS = b"banditgym rows 1"  # differs from the label of seeds, so no message is of both kinds
OPENED, BEGUN, ENDED, REVEALED = "opened", "verification begun", "verification ended", "revealed"
ATTESTED = ".attested"  # suffix of the statement of a machine that played an epoch's rows again
SIGNERS = "allowed_signers"  # file beside the epochs
_BEFORE = 4  # the schema of rows if an entry names none


def ledger_of(path: Path) -> Ledger:
    """The ledger beside an epoch's file."""
    return Ledger(path.with_suffix(".ledger.jsonl"))


def rows_of(path: Path) -> Path:
    """The published rows beside an epoch's file."""
    return path.with_suffix(".jsonl.gz")


def lock_of(path: Path) -> Path:
    """The lock file beside an epoch's file."""
    return path.with_suffix(".lock")


def store_of(secret: Path) -> Path:
    """The default folder of rows until the reveal: beside the secret."""
    return secret.with_name(f"{secret.name}.results")


def ours(rows: Iterable[Row]) -> list[Row]:
    """The rows of this package's agents, without refusals."""
    return [row for row in rows if "==" not in row.spec and not row.refused]


def attestations_of(path: Path) -> list[Path]:
    """The attestations beside an epoch's file; the signature of each is beside it, as ``.sig``."""
    return sorted(path.parent.glob(f"{path.stem}.*{ATTESTED}"))


def note(path: Path, epoch: Epoch, event: str, today: date, **facts: Any) -> None:
    """Append an event to the ledger beside an epoch's file."""
    entry = {"event": event, "epoch": epoch.hash, **facts, "date": today.isoformat()}
    ledger_of(path).append(entry)


def check_frozen(path: Path, epoch: Epoch) -> None:
    """Check that sources and packages here are those that the epoch committed to."""
    if source_hash() != epoch.sources:
        raise ValueError(
            f"epoch {epoch.id} was committed to with sources {epoch.sources}, and here they are "
            f"{source_hash()}: check out the version that it names"
        )
    lock = _lock_of(path, epoch)
    if differ := locks.differences(lock):
        raise ValueError(
            f"the packages here are not those of {lock.name}: {'; '.join(differ[:5])}; install "
            f"them with pip install --require-hashes -r {lock}"
        )


def faults(name: str | Path) -> list[str]:
    """Problems of an epoch's public files, one line each; an empty list if they agree.

    Raises
    ------
    ValueError
        If the epoch's file is invalid.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    found: list[str] = []

    def attempt(check: Callable[[], Iterable[str]]) -> None:
        try:
            found.extend(check())
        except KeyError as error:
            found.append(f"an entry of the ledger lacks the key {error}")
        except (ValueError, OSError) as error:
            found.extend(str(error).splitlines())

    attempt(lambda: locks.pins(_lock_of(path, epoch)) and [])
    attempt(lambda: of_epoch(epoch) and [])
    attempt(lambda: _ledger_faults(path, epoch))
    if epoch.revealed is not None:
        attempt(lambda: _row_faults(path, epoch))
        attempt(lambda: _attestation_faults(path, epoch))
    return found


def broken(entries: list[dict[str, Any]], rows: Iterable[Row], secret: bytes) -> list[str]:
    """A line for each entrant whose rows do not match the ledger's hash."""
    rows, found = [replace(row, seed_hex=None) for row in rows], []
    for entry in events(entries, OPENED, ENDED):
        keyed = "rows_hmac" in entry
        if entry["event"] == OPENED:
            what, own = "our agents", [row for row in rows if "==" not in row.spec]
        elif keyed or "rows_sha256" in entry:
            what = f"{entry['name']}=={entry['version']}"
            own = [row for row in rows if row.spec == f"{what}@{entry['hash'][:16]}"]
        else:
            continue
        schema = schema_of(entry)
        here = keyed_digest(own, secret, schema) if keyed else digest(own, schema)
        if here != entry["rows_hmac" if keyed else "rows_sha256"]:
            found.append(f"the rows of {what} are not those that the ledger names")
    return found


def with_seed(row: Row, drawn: Instances) -> Row:
    """A row with its environment's seed added; a refusal has no seed."""
    if row.refused:
        return row
    return replace(row, seed_hex=drawn.seed_hex(row.task, row.seed))


def digest(rows: Iterable[Row], schema: int = SCHEMA) -> str:
    """SHA-256 of rows in the format of a schema; their order does not matter."""
    return hashlib.sha256(_lines(rows, schema)).hexdigest()


def keyed_digest(rows: Iterable[Row], secret: bytes, schema: int = SCHEMA) -> str:
    """The same, as an HMAC-SHA256 with the epoch's secret as its key.

    A submission influences its rows: it could fail at once and write the settings that it was given
    into the error. Anyone who knows everything except the settings could then try settings until a
    plain hash matches. A keyed hash prevents this, because the secret is unknown.
    """
    return hmac.digest(secret, _ROWS + _lines(rows, schema), "sha256").hex()


def _lines(rows: Iterable[Row], schema: int) -> bytes:
    return b"".join(sorted(as_line(row, schema) for row in rows))


def schema_of(entry: dict[str, Any]) -> int:
    """The schema of the rows that an entry of the ledger hashes."""
    return entry.get("schema", _BEFORE)


def _lock_of(path: Path, epoch: Epoch) -> Path:
    """The lock file of an epoch, which must be the one that it names."""
    lock = lock_of(path)
    if locks.digest(lock) != epoch.lock:
        raise ValueError(f"{lock.name} is not the lock file that epoch {epoch.id} names")
    return lock


def _ledger_faults(path: Path, epoch: Epoch) -> list[str]:
    entries = ledger_of(path).entries()
    foreign = [e for e in entries if e.get("epoch") != epoch.hash]
    found = [f"{ledger_of(path).path.name} has entries of another epoch"] if foreign else []
    if epoch.secret is not None and not events(entries, REVEALED):
        found.append("the secret is revealed, and the ledger does not say so")
    return found


def _row_faults(path: Path, epoch: Epoch) -> list[str]:
    assert epoch.revealed is not None
    rows = packed_rows(rows_of(path), {"suite": epoch.hash})
    drawn, entries, found = instances(epoch, epoch.revealed), ledger_of(path).entries(), []
    for row in rows:
        if with_seed(row, drawn).seed_hex != row.seed_hex:
            found.append(f"{row.agent} on {row.task}, {row.seed}: its seed is not the epoch's")
    found += broken(entries, rows, epoch.revealed)
    for entry in events(entries, REVEALED):
        if entry["rows_sha256"] != digest(rows, schema_of(entry)):
            found.append("the published rows are not those that the ledger names")
    return found


def _attestation_faults(path: Path, epoch: Epoch) -> list[str]:
    rows = ours(packed_rows(rows_of(path), {"suite": epoch.hash}))
    found = []
    for file in attestations_of(path):
        message, beside = file.read_bytes(), file.with_name(f"{file.name}.sig")
        try:
            stated = json.loads(message)
            named = stated["epoch"], stated["rows_sha256"]
            here = epoch.hash, digest(rows, schema_of(stated))
            fault = None if named == here else "it is not about the published rows"
            if fault is None:
                signed, signer = beside.read_bytes(), str(stated["signer"])
                fault = signatures.fault(message, signed, signer, path.with_name(SIGNERS))
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError):
            fault = "it is no attestation"
        except FileNotFoundError:
            fault = f"there is no signature {beside.name}"
        if fault is not None:
            found.append(f"{file.name}: {fault}")
    return found
