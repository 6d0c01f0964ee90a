"""Passes the output of a process on to stderr, up to a bound."""

import codecs
import contextlib
import os
import sys

from banditgym.validation import visible

MOST = 1 << 16  # bytes that are passed on
_LEFT = 1 << 20  # bytes that a pipe can hold


class Printed:
    """A pipe to print into, whose first `MOST` bytes are passed on to ``sys.stderr``.

    Control characters are escaped, as in every text of third-party code. Output beyond the bound is
    read and counted, so that the printing process never waits.

    Parameters
    ----------
    name : str
        Name of the process, for the line that says how much was dropped.

    Attributes
    ----------
    reader : int
        File descriptor to wait for; `pass_on` reads it.
    writer : int
        File descriptor for the process. Its owner closes it once the process has it.
    """

    def __init__(self, name: str):
        self._name = name
        self._passed = self._dropped = 0
        self._ends_line = True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)

    def pass_on(self) -> bool:
        """Pass on available output, at most 64 KiB; False if no more can come."""
        try:
            piece = os.read(self.reader, 1 << 16)
        except BlockingIOError:
            return True
        kept = piece[: MOST - self._passed]
        self._passed += len(kept)
        self._dropped += len(piece) - len(kept)
        self._write(self._decoder.decode(kept))
        return bool(piece)

    def close(self) -> None:
        """Pass on the remaining output, and say how much was dropped."""
        for _ in range(0, _LEFT, 1 << 16):  # a process that survived may print forever
            before = self._passed + self._dropped
            if not self.pass_on() or self._passed + self._dropped == before:
                break
        os.close(self.reader)
        self._write(self._decoder.decode(b"", final=True))
        if self._dropped:
            line_break = "" if self._ends_line else "\n"
            self._write(
                f"{line_break}{self._name}: {self._dropped} more bytes of its output were dropped\n"
            )

    def _write(self, text: str) -> None:
        if text:
            self._ends_line = text.endswith("\n")
            with contextlib.suppress(OSError):  # nobody reads it
                print(visible(text), end="", file=sys.stderr, flush=True)
