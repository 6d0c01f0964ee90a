"""Rows of results in packed files: written atomically, and checked when they are read."""

import gzip
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.run.store import keys_file
from leaderboards.run.store.row_schema import LaterError, Row, as_line, read_line
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.suites.suite import Suite

LARGEST = 2**26  # bytes of published rows, unpacked


def published_rows(submission: Submission, suite: Suite, *, audit: bool = False) -> list[Row]:
    """The published rows of this version on a suite, or of its audit; an empty list if none.

    Raises
    ------
    SubmissionError
        If their file is invalid, or holds rows of another version or suite.
    """
    return packed_rows(
        rows_file(submission, suite.name, audit=audit),
        {"spec": submission.spec, "suite": suite.hash, "audit": audit},
    )


def rows_file(submission: Submission, suite: str, *, audit: bool = False) -> Path:
    """The file of the published rows of this version on a suite, or of its audit."""
    kind = ".audit" if audit else ""
    return submission.results / f"{submission.manifest.version}.{suite}{kind}.jsonl.gz"


def packed_rows(path: Path, expected: Mapping[str, Any]) -> list[Row]:
    """The rows of a packed, untrusted file; each row must have the expected fields.

    Raises
    ------
    SubmissionError
        If it is a link, too large, damaged, or holds anything but such rows.
    """
    name = f"{path.parent.name}/{path.name}"

    def refuse(what: str) -> SubmissionError:
        remedy = "remove the file and run banditgym submit run again"
        return SubmissionError(Problem(name, "", what, remedy))

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
            raise refuse("it has a line that is not a result") from None
        for field, value in expected.items():
            if getattr(row, field) != value:
                raise refuse(f"it holds a row whose {field} is not {value}")
        found.append(row)
    return found


def pack(path: Path, rows: Iterable[Row]) -> str:
    """Write rows into one packed file; returns the SHA-256 of their lines."""
    # Sorted and without a timestamp: equal results give equal files.
    lines = b"".join(sorted(map(as_line, rows)))
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_files.write(path, gzip.compress(lines, mtime=0))
    return hashlib.sha256(lines).hexdigest()


def pack_apart(path: Path, rows: Iterable[Row]) -> None:
    """Pack rows without their keys, which a file beside them has; see ``keys_file``."""
    bare, keys = keys_file.apart(rows)
    pack(path, bare)
    keys_file.write(path, keys)  # last: new rows with old keys are out of date, and nothing worse
