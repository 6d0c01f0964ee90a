"""Passes the output of a process on to stderr, up to a bound."""

import codecs
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import BinaryIO

from banditgym.validation import visible

MOST = 1 << 16  # bytes that are passed on
_LONGEST = 1.0  # seconds that a killed process may take to close its end


@contextlib.contextmanager
def passed_on(name: str) -> Iterator[BinaryIO]:
    """A pipe to print into, whose first `MOST` bytes are passed on to ``sys.stderr``.

    Control characters are escaped, as in every text of third-party code. Output beyond the bound is
    read and counted, so that the printing process never waits. At the end of the context all output
    has been passed on, if every process has closed the pipe; close it here once they have it.

    Parameters
    ----------
    name : str
        Name of the process, for the line that says how much was dropped.
    """
    reader, writer = os.pipe()
    thread = threading.Thread(target=_pass_on, args=(reader, name), daemon=True)
    thread.start()
    try:
        with open(writer, "wb") as output:
            yield output
    finally:
        thread.join(_LONGEST)


def _pass_on(reader: int, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    passed, dropped, last = 0, 0, "\n"
    with open(reader, "rb", buffering=0) as output:
        while piece := output.read(1 << 16):
            kept = piece[: MOST - passed]
            passed += len(kept)
            dropped += len(piece) - len(kept)
            last = _write(decoder.decode(kept)) or last
    last = _write(decoder.decode(b"", final=True)) or last
    if dropped:
        line_break = "" if last == "\n" else "\n"
        _write(f"{line_break}{name}: {dropped} more bytes of its output were dropped\n")


def _write(text: str) -> str:
    """Print a text; returns its last character."""
    if text:
        with contextlib.suppress(OSError):  # nobody reads it
            print(visible(text), end="", file=sys.stderr, flush=True)
    return text[-1:]
