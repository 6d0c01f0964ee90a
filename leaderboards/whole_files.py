"""Writes files whole: a reader finds the old contents or the new, and never a part of either."""

from pathlib import Path


def write(path: Path, contents: str | bytes) -> None:
    """Write a file, in place of one that is there."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    partial.replace(path)
