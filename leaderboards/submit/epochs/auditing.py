"""Checks that anyone can run on an epoch: its lock file, ledger, secret, seeds and rows."""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from leaderboards.run.store.row_schema import SCHEMA, Row, as_line
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs import lock as locks
from leaderboards.submit.epochs import ranges as ranges_of
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import Instances, instances
from leaderboards.submit.ledger import Ledger, events
from leaderboards.submit.published import packed_rows
from leaderboards.suites.suite import load

_ROWS = b"banditgym rows 1"  # differs from the label of seeds, so no message is of both kinds
OPENED, BEGUN, ENDED, REVEALED = "opened", "verification begun", "verification ended", "revealed"
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

    attempt(lambda: _lock_faults(path, epoch))
    attempt(lambda: _suite_faults(epoch))
    attempt(lambda: _ledger_faults(path, epoch))
    if epoch.revealed is not None:
        attempt(lambda: _row_faults(path, epoch))
    return found


def broken(entries: list[dict[str, Any]], rows: Iterable[Row], secret: bytes) -> list[str]:
    """The entrants whose rows do not match the ledger's hash."""
    found = []
    for what, own, entry in promised(entries, rows):
        if "rows_hmac" in entry:
            named, here = entry["rows_hmac"], keyed_digest(own, secret, schema_of(entry))
        else:
            named, here = entry["rows_sha256"], digest(own, schema_of(entry))
        if here != named:
            found.append(what)
    return found


def promised(
    entries: list[dict[str, Any]], rows: Iterable[Row]
) -> list[tuple[str, list[Row], dict[str, Any]]]:
    """For each hash in the ledger: the entrant's name, its rows, and the entry."""
    rows = [replace(row, seed_hex=None) for row in rows]
    found = []
    for entry in entries:
        if entry.get("event") == OPENED:
            own = [row for row in rows if "==" not in row.spec]
            found.append(("our agents", own, entry))
        elif entry.get("event") == ENDED and entry.keys() & {"rows_hmac", "rows_sha256"}:
            title = f"{entry['name']}=={entry['version']}"
            own = [row for row in rows if row.spec == f"{title}@{entry['hash'][:16]}"]
            found.append((title, own, entry))
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


def _lock_faults(path: Path, epoch: Epoch) -> list[str]:
    lock = lock_of(path)
    locks.pins(lock)
    if locks.digest(lock) != epoch.lock:
        return [f"{lock.name} is not the lock file that the epoch names"]
    return []


def _suite_faults(epoch: Epoch) -> list[str]:
    suite = load(epoch.suite)
    ranges = ranges_of.load(suite, ranges_of.path_of(epoch.suite))
    here = {"suite": (suite.hash, epoch.suite_hash), "ranges": (ranges.hash, epoch.ranges)}
    return [
        f"the {what} of {epoch.suite} is {a}, the epoch's {b}"
        for what, (a, b) in here.items()
        if a != b
    ]


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
    found += [
        f"the rows of {what} are not those that the ledger names"
        for what in broken(entries, rows, epoch.revealed)
    ]
    for entry in events(entries, REVEALED):
        if entry["rows_sha256"] != digest(rows, schema_of(entry)):
            found.append("the published rows are not those that the ledger names")
    return found
