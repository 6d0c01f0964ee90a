"""Text files, compressed or not, in groups of lines."""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

GROUP_BYTES = 1 << 20  # bytes of text in a group, which is extended to the end of its last line


def opened(path: Path, mode: Literal["rb", "wb"] = "rb") -> IO[bytes]:
    """The file as bytes, unpacked (or packed, for ``"wb"``) where its name ends in .gz or .bz2."""
    if path.suffix == ".gz":
        return gzip.open(path, mode)  # type: ignore[return-value]
    if path.suffix == ".bz2":
        return bz2.open(path, mode)
    return open(path, mode)


def line_groups(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Groups of lines, each with the number of its first line, from 1 on.

    It holds one group in memory, or the longest line if that is longer.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file cannot be unpacked, with its name and the line that was reached.
    """
    number = 1
    with opened(path) as file:
        while True:
            try:
                lines = file.readlines(GROUP_BYTES)
            except (EOFError, zlib.error, OSError) as error:
                # BadGzipFile is an OSError, and bz2 raises a bare one.
                raise ValueError(
                    f"{path}, after line {number - 1}: cannot be read: {error}"
                ) from error
            if not lines:
                return
            yield number, lines
            number += len(lines)
