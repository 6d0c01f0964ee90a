"""Results as append-only JSON lines: one file per writing process, one write per record.

A written record survives ``kill -9`` of its writer, and any number of processes can share a folder
without locks. Other tools can read the files: ``pandas.read_json(file, lines=True)``. Finished
results may be packed: ``.jsonl.gz`` is read too, with its keys if they are in a file beside it
(``leaderboards.run.store.keys_file``). ``leaderboards.run.store.row_schema`` defines a line.
"""

import errno
import gzip
import io
import os
import re
import socket
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from leaderboards.defaults import STORE
from leaderboards.run.store import keys_file
from leaderboards.run.store.row_schema import LaterError, Row, as_line, read_line

LARGEST = 2**30  # bytes of an unpacked file: a small packed file could fill the memory
ATTEMPTS = 2  # a resumed run tries a failed (agent, task, seed) once more


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

    def __init__(self, folder: str | Path = STORE):
        self.folder = Path(folder)
        self._file: int | None = None
        self._path = self.folder

    def __enter__(self) -> "Store":
        """Open a new file for writing, for this process alone.

        Raises
        ------
        OSError
            If the folder cannot be written, in one line.
        """
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            try:
                empty = os.fstat(self._file).st_size == 0
                if not empty:
                    self._restore()
            finally:
                os.close(self._file)
                self._file = None
            if empty:
                self._path.unlink(missing_ok=True)

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows, each by one system call.

        Raises
        ------
        OSError
            If the disk is full or the store was not opened for writing.

        Warns
        -----
        UserWarning
            If the file was removed meanwhile; its contents are then written again.
        """
        if self._file is None:
            raise OSError(f"the store {self.folder} is not open for writing")
        self._restore()
        for row in rows:
            self._write(as_line(row))

    def rows(self, suite: str | None = None) -> list[Row]:
        """One row per key, oldest first: its first success, or else its last failure.

        Parameters
        ----------
        suite : str, optional
            Hash of the suite whose rows are wanted.

        Warns
        -----
        UserWarning
            Once each: for every file that cannot be read or unpacked; with the number and the
            places of lines that are not results; with the number of lines of a later schema; and
            with the number and the places of results that contradict an earlier one with the same
            key. An incomplete last line, from a writer that was killed or is still writing, is
            skipped silently.

        Raises
        ------
        OSError
            If the store is not a folder, or cannot be read.
        """
        best: dict[str, Row] = {}
        places: dict[str, str] = {}
        contradictions: list[str] = []
        for key, row, place in self._attempts(suite):
            if key not in best or best[key].error is not None:
                best[key], places[key] = row, place
            elif row.error is None and _numbers(row) != _numbers(best[key]):
                about = f"{row.agent} on {row.task}, seed {row.seed}"
                contradictions.append(f"{about}: {place} against {places[key]}")
        if contradictions:
            warnings.warn(
                f"{len(contradictions)} result(s) of {self.folder} contradict an earlier one "
                f"and are not shown: {_some(contradictions, '; ')}"
            )
        return list(best.values())

    def finished(self, suite: str) -> dict[str, bool]:
        """Keys that a resumed run does not play again: key -> whether it failed.

        These are successes, refusals, and failures that were tried twice.
        """
        failures: dict[str, int] = {}
        finished = {}
        for key, row, _ in self._attempts(suite):
            failures[key] = failures.get(key, 0) + (row.error is not None)
            if row.error is None or row.refused:
                finished[key] = False
            elif failures[key] >= ATTEMPTS:
                finished.setdefault(key, True)
        return finished

    def _open(self) -> None:
        host = re.sub(r"[^A-Za-z0-9.]+", "-", socket.gethostname())
        # Process ids are reused: the time makes the name unique, and sorts files by age.
        name = f"{time.time_ns():020d}-{host}-{os.getpid()}.jsonl"
        self._path = self.folder / name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644
            )
        except OSError as error:
            raise self._unwritable(error.strerror) from None

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        try:
            written = os.write(self._file, data)
        except OSError as error:
            raise self._unwritable(error.strerror) from None
        if written != len(data):
            raise self._unwritable("the disk is full")

    def _restore(self) -> None:
        """Write our file again if it was removed; while open, it can still be read."""
        assert self._file is not None
        if self._path.exists():
            return
        removed, name = self._file, self._path.name
        try:
            self._open()
            self._write(os.pread(removed, os.fstat(removed).st_size, 0))
        finally:
            os.close(removed)
        warnings.warn(
            f"{name} was removed from {self.folder} while it was written: this run's results are "
            f"written again, to {self._path.name}; those of earlier runs may be lost"
        )

    def _unwritable(self, reason: str | None) -> OSError:
        return OSError(f"the store {self.folder} cannot be written: {reason}")

    def _paths(self) -> list[Path]:
        """The files of results, oldest first; none if there is no such folder yet."""
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise OSError(f"the store {self.folder} cannot be read: {error.strerror}") from None
        return [self.folder / name for name in sorted(names) if name.endswith(_ENDINGS)]

    def _attempts(self, suite: str | None) -> Iterator[tuple[str, Row, str]]:
        """Key, row and place (file and line) of every result, in the order of writing."""
        foreign: list[str] = []
        later = 0
        for path in self._paths():
            *lines, _torn = _contents(path).split(b"\n")
            give_keys = keys_file.reader(path)
            for number, line in enumerate(lines, start=1):
                try:
                    row = read_line(line)
                    give_keys(row)
                    key = row.key
                except LaterError:
                    later += 1
                    continue
                except (ValueError, RecursionError):
                    foreign.append(f"{path.name}:{number}")
                    continue
                if suite is None or row.suite == suite:
                    yield key, row, f"{path.name}:{number}"
        if later:
            warnings.warn(
                f"skipped {later} line(s) of {self.folder} that a later version of banditgym wrote"
            )
        if foreign:
            warnings.warn(
                f"skipped {len(foreign)} line(s) of {self.folder} that are not results: "
                f"{_some(foreign)}"
            )


_ENDINGS = (".jsonl", ".jsonl.gz")
_SHOWN = 5  # places that a warning names


def _some(items: list[str], separator: str = ", ") -> str:
    return separator.join(items[:_SHOWN]) + (f"{separator}.." if len(items) > _SHOWN else "")


def _numbers(row: Row) -> tuple[Any, Any]:
    """The values that must be equal for rows with equal keys."""
    return row.rounds, row.measures


def _contents(path: Path) -> bytes:
    """The unpacked contents of a file: of a cut file the part before the cut, else all or none.

    Warns
    -----
    UserWarning
        If it cannot be read completely.
    """
    try:
        if path.is_fifo():
            raise OSError(errno.EINVAL, "it is a pipe")
        data = path.read_bytes()
    except OSError as error:  # also if it was removed since the folder was listed
        warnings.warn(f"the results {path} cannot be read: {error.strerror}")
        return b""
    if path.suffix != ".gz":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as unpacked:
            whole = unpacked.read(LARGEST + 1)
        if len(whole) > LARGEST:
            raise OSError(f"they unpack to more than {LARGEST >> 20} MiB")
        return whole
    except EOFError:
        data, reason = _before_the_cut(data), "those after the cut are lost"
    except (OSError, zlib.error) as error:
        # The damage may be anywhere before the place where it is detected, and alter digits.
        data, reason = b"", f"none of them is shown: {error}"
    warnings.warn(f"the packed results {path} are cut or damaged: {reason}")
    return data


def _before_the_cut(packed: bytes) -> bytes:
    parts = []
    while packed:
        member = zlib.decompressobj(wbits=31)  # of gzip's form
        try:
            parts.append(member.decompress(packed))
        except zlib.error:
            break
        packed = member.unused_data.lstrip(b"\0")
    return b"".join(parts)
