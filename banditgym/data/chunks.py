"""Rows of a file one after the other, with one chunk in memory."""

from collections.abc import Callable, Iterator
from typing import Any

from banditgym.data.labelled_rows import LabelledRows, Summary


class Chunks:
    """The rows of a stream by number. Numbers should increase: to go back, the file is read again.

    A copy reads independently: it opens the stream anew when a row is read.

    Parameters
    ----------
    summary : Summary
        The summary of the rows.
    opened : callable
        Starts to read: without arguments, it returns an iterator of chunks.
    """

    def __init__(self, summary: Summary, opened: Callable[[], Iterator[LabelledRows]]):
        self.summary = summary
        self._opened = opened
        self._reading: Iterator[LabelledRows] | None = None
        self._chunk: LabelledRows | None = None
        self._first = 0  # number of the chunk's first row

    def __getstate__(self) -> dict[str, Any]:
        # An open file belongs to one reader.
        return vars(self) | {"_reading": None, "_chunk": None}

    def at(self, row: int) -> tuple[LabelledRows, int]:
        """The chunk that holds a row of 0 .. n_rows - 1, and the row's place in it.

        Raises
        ------
        ValueError
            If the stream no longer agrees with its summary.
        """
        if self._reading is None or self._chunk is None or row < self._first:
            self._reading = self._opened()
            self._first, self._chunk = 0, next(self._reading)
        while row >= self._first + len(self._chunk):
            self._first += len(self._chunk)
            self._chunk = next(self._reading)
        return self._chunk, row - self._first
