"""Results as append-only JSON lines: one file per writing process, one write per record.

A record that was written survives ``kill -9`` of its writer, and any number of processes share a
folder without locks. The folder reads well elsewhere: ``pandas.read_json(file, lines=True)``.
Finished results may be packed: ``.jsonl.gz`` is read too.

Every line names the schema that it was written by. A field is added by raising ``SCHEMA`` and by
naming it in ``ADDED`` with the value that rows of earlier schemas are read with, so no store is
lost. Fields are never removed, and none changes its meaning.
"""

import gzip
import json
import math
import os
import re
import socket
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DEFAULT_FOLDER = "banditgym-results"
SCHEMA = 3
# Schema -> the fields that it added to the one before, with their values in older rows.
# The third added the schema's own number, so a line without it may be of the first or the second.
ADDED: dict[int, dict[str, Any]] = {2: {"full_information": False}, 3: {}}
ATTEMPTS = 2  # a cell that failed is tried once more when a run is resumed


@dataclass(frozen=True, kw_only=True)
class Row:
    """What became of one learner on one seed of one task.

    Parameters
    ----------
    suite : str
        Hash of the suite.
    task : str
        Name of the task within the suite.
    agent : str
        Short label of the learner.
    spec : str
        How to name the learner again.
    hyperparameters : dict
        The learner's hyperparameters as plain data.
    seed : int
        Seed of world and learner; -1 where the learner refused the task.
    sources : str
        Hash of the sources of banditgym and agents, and of a third party's file.
    data : dict of str to str
        Hash of every data file among the task's settings.
    error : str or None
        One line on what went wrong; then the numbers below are None.
    rounds : list of int or None
        Rounds at which the curves were recorded.
    measures : dict of str to list of float, or None
        Cumulative measures at these rounds.
    seconds : list of float or None
        CPU seconds per round of one replicate: [world, learner].
    bytes : int or None
        Size of the learner's state per replicate.
    facts : list of str
        Hyperparameters that were taken from the task.
    paper : str or None
        Short citation of the learner.
    refused : bool
        Whether the learner cannot play the task; ``error`` then holds its reason.
    full_information : bool
        Whether the learner is handed hidden labels, and so is a reference.
    """

    suite: str
    task: str
    agent: str
    spec: str
    hyperparameters: dict[str, Any]
    seed: int
    sources: str
    data: dict[str, str]
    error: str | None
    rounds: list[int] | None
    measures: dict[str, list[float]] | None
    seconds: list[float] | None
    bytes: int | None
    facts: list[str]
    paper: str | None
    refused: bool = False
    full_information: bool = False

    @property
    def key(self) -> str:
        """What the row is about: equal keys mean equal scores and curves."""
        parts = (
            self.suite,
            self.task,
            self.spec,
            self.hyperparameters,
            self.seed,
            self.sources,
            self.data,
        )
        return json.dumps(parts, sort_keys=True)


class Store:
    """A folder of results.

    Parameters
    ----------
    folder : str or Path
        Made when it is first written to.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> store.rows()
    []
    """

    def __init__(self, folder: str | Path = DEFAULT_FOLDER):
        self.folder = Path(folder)
        self._file: int | None = None
        self._path = self.folder

    def __enter__(self) -> "Store":
        """Open a file of our own for writing.

        Raises
        ------
        OSError
            If the folder cannot be written, in one line.
        """
        host = re.sub(r"[^A-Za-z0-9.]+", "-", socket.gethostname())
        # Process numbers are reused: the time makes the name unique, and sorts files by age.
        name = f"{time.time_ns():020d}-{host}-{os.getpid()}.jsonl"
        self._path = self.folder / name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(
                self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644
            )
        except OSError as error:
            raise self._unwritable(error.strerror) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            empty = os.fstat(self._file).st_size == 0
            os.close(self._file)
            self._file = None
            if empty:
                self._path.unlink(missing_ok=True)

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows, each in one piece.

        Raises
        ------
        OSError
            If the disk is full or the store was not opened for writing.
        """
        if self._file is None:
            raise OSError(f"the store {self.folder} is not open for writing")
        for row in rows:
            line = as_line(row)
            try:
                written = os.write(self._file, line)
            except OSError as error:
                raise self._unwritable(error.strerror) from None
            if written != len(line):
                raise self._unwritable("the disk is full")

    def rows(self, suite: str | None = None) -> list[Row]:
        """One row per key, oldest first: its first success, or else its last failure.

        Parameters
        ----------
        suite : str, optional
            Hash of the suite whose rows are wanted.

        Warns
        -----
        UserWarning
            Once, with the number and the places of lines that are no results, and once with the
            number of lines of a later schema. A last line without an end belongs to a writer that
            was killed, or is still writing: it is skipped silently.

        Raises
        ------
        ValueError
            If a packed file is cut or damaged.
        """
        best: dict[str, Row] = {}
        for row in self._attempts(suite):
            key = row.key
            if key not in best or best[key].error is not None:
                best[key] = row
        return list(best.values())

    def settled(self, suite: str) -> dict[str, bool]:
        """Keys that a resumed run leaves alone: key -> whether it failed, for good.

        Successes and refusals are settled, and failures once they were tried twice.
        """
        failures: dict[str, int] = {}
        settled = {}
        for row in self._attempts(suite):
            key = row.key
            failures[key] = failures.get(key, 0) + (row.error is not None)
            if row.error is None or row.refused:
                settled[key] = False
            elif failures[key] >= ATTEMPTS:
                settled.setdefault(key, True)
        return settled

    def _unwritable(self, reason: str | None) -> OSError:
        return OSError(f"the store {self.folder} cannot be written: {reason}")

    def _attempts(self, suite: str | None) -> Iterator[Row]:
        foreign, later = [], 0
        for path in sorted([*self.folder.glob("*.jsonl"), *self.folder.glob("*.jsonl.gz")]):
            *lines, _torn = _contents(path).split(b"\n")
            for number, line in enumerate(lines, start=1):
                try:
                    row = _row(json.loads(line))
                except _LaterError:
                    later += 1
                    continue
                except (ValueError, RecursionError):
                    foreign.append(f"{path.name}:{number}")
                    continue
                if suite is None or row.suite == suite:
                    yield row
        if later:
            warnings.warn(
                f"skipped {later} line(s) of {self.folder} that a later version of banditgym wrote"
            )
        if foreign:
            shown = ", ".join(foreign[:5]) + (", .." if len(foreign) > 5 else "")
            warnings.warn(
                f"skipped {len(foreign)} line(s) of {self.folder} that are no results: {shown}"
            )


def as_line(row: Row) -> bytes:
    """A row as the store writes it: one line of JSON."""
    record = {"schema": SCHEMA, **_without_nan(asdict(row))}
    return (json.dumps(record, allow_nan=False) + "\n").encode()


def _without_nan(value: Any) -> Any:
    """Missing numbers are null: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _contents(path: Path) -> bytes:
    """What a file holds, unpacked."""
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"the packed results {path} are cut or damaged: {error}") from None


_KINDS: dict[str, tuple[type, ...]] = {
    "suite": (str,),
    "task": (str,),
    "agent": (str,),
    "spec": (str,),
    "hyperparameters": (dict,),
    "seed": (int,),
    "sources": (str,),
    "data": (dict,),
    "error": (str, type(None)),
    "rounds": (list, type(None)),
    "measures": (dict, type(None)),
    "seconds": (list, type(None)),
    "bytes": (int, type(None)),
    "facts": (list,),
    "paper": (str, type(None)),
    "refused": (bool,),
    "full_information": (bool,),
}


class _LaterError(ValueError):
    """A line of a schema that is not known yet."""


def _row(record: Any) -> Row:
    if not isinstance(record, dict):
        raise ValueError("not a result")
    schema = record.pop("schema", 1)
    if not isinstance(schema, int) or not schema >= 1:
        raise ValueError(f"schema is {schema!r}")
    if schema > SCHEMA:
        raise _LaterError
    for number, fields in ADDED.items():
        if number > schema:
            record = {**fields, **record}
    if record.keys() != _KINDS.keys():
        raise ValueError("not a result")
    for name, kinds in _KINDS.items():
        if not isinstance(record[name], kinds):
            raise ValueError(f"{name} is {record[name]!r}")
    if record["error"] is None and None in (record["rounds"], record["measures"]):
        raise ValueError("a success without numbers")
    return Row(**record)
