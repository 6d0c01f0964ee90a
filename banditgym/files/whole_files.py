"""Writes files whole: a reader finds the old contents or the new, and never a part of either."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of ``path`` when the block ends without an error.

    The contents are written to a file beside it, so a full disk, an error or a killed process
    leaves the old file as it was. A killed process may leave the other file, which ends in
    ``.partial``. Several processes may write the same path. What is no regular file, such as a
    pipe, is written directly.
    """
    path = Path(os.path.realpath(path))  # the file that a link names, not the link
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f"{path.name[:60]}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("wb") as file:
            if path.exists():
                shutil.copymode(path, partial)
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write(path: str | Path, contents: str | bytes) -> None:
    """Write a file whole, as ``opened`` does; texts in UTF-8."""
    with opened(path) as file:
        file.write(contents if isinstance(contents, bytes) else contents.encode())
