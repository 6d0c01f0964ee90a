"""An append-only ledger: JSON lines, each with the hash of the line before.

A changed or dropped line breaks the chain after it, so anyone who knows a later hash (commits of
the repository contain them) can detect it. Each line is written by one system call, under a lock.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import portalocker

START = "0" * 64  # the first line has this hash for the line before it
LARGEST = 2**22  # bytes; larger ledgers are refused


@dataclass(frozen=True)
class Ledger:
    """The lines of a file, in the order of writing.

    Parameters
    ----------
    path : Path
        The first entry creates the file.
    """

    path: Path

    def entries(self) -> list[dict[str, Any]]:
        """All entries, after checking their chain.

        Raises
        ------
        ValueError
            If a line is invalid, or does not follow the line before it.
        """
        entries, previous = [], START
        for number, line in enumerate(self._lines(), start=1):
            try:
                entry = json.loads(line)
                follows = isinstance(entry, dict) and entry["previous"] == previous
            except (ValueError, KeyError, RecursionError):
                follows, entry = False, {}
            if not follows:
                raise ValueError(
                    f"{self.path.name}, line {number}: it does not follow the line before it: "
                    "lines of a ledger are neither changed nor dropped"
                )
            entries.append(entry)
            previous = _hash(line)
        return entries

    @property
    def head(self) -> str:
        """The hash of the last line, which identifies all lines."""
        lines = self._lines()
        return _hash(lines[-1]) if lines else START

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry, after checking the chain.

        Processes may append at the same time: each waits for the others.

        Raises
        ------
        ValueError
            If the chain is broken.
        OSError
            If the file cannot be written; it is left unchanged.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        number = os.open(self.path, flags, 0o644)
        try:
            portalocker.lock(number, portalocker.LOCK_EX)  # released when the file is closed
            self.entries()
            linked = {**entry, "previous": self.head}
            line = (json.dumps(linked, sort_keys=True, allow_nan=False) + "\n").encode()
            before = os.fstat(number).st_size
            if os.write(number, line) != len(line):
                os.ftruncate(number, before)
                raise OSError(f"{self.path} cannot be written: the disk is full")
            os.fsync(number)
        finally:
            os.close(number)

    def _lines(self) -> list[bytes]:
        try:
            number = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ValueError(f"{self.path} cannot be read: {error.strerror}") from None
        with os.fdopen(number, "rb") as file:
            contents = file.read(LARGEST + 1)
        if len(contents) > LARGEST:
            raise ValueError(f"{self.path} is larger than {LARGEST} bytes")
        *lines, torn = contents.split(b"\n")
        if torn:
            raise ValueError(f"{self.path.name}: its last line is cut")
        return lines


def events(entries: Iterable[dict[str, Any]], *named: str) -> list[dict[str, Any]]:
    """The entries with one of these events."""
    return [entry for entry in entries if entry.get("event") in named]


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
