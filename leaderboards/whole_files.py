"""Writes files whole: a reader finds the old contents or the new, and never a part of either."""

import secrets
from pathlib import Path


def write(path: Path, contents: str | bytes) -> None:
    """Write a file, in place of one that is there. Several processes may write the same file."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
