r"""Files in the svmlight format, which LIBSVM uses too: one row per line.

::

    <label> [qid:<n>] <index>:<value> <index>:<value> ... [# comment]

Indices of a row increase; features that are not written are 0. Labels are finite numbers, one per
row; the j-th smallest of the file becomes label j. A ``qid``, comments and empty lines are ignored.
Entries written as 0 are kept as entries. Files ending in .gz or .bz2 are unpacked while they are
read.

Some files count features from 0 and some from 1, and no file says which. ``zero_based="auto"``
reads a file as zero-based if the index 0 occurs in it, else as one-based; the index 0 is refused
only with ``zero_based=False``. Give ``zero_based=True`` for a zero-based file that never uses
feature 0.

``scan`` reads a file once and returns a summary; ``stream`` then returns its rows in chunks. Both
hold a megabyte of text at a time, for a file of any length.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from banditgym.data.files import line_groups
from banditgym.data.labelled_rows import Entries, LabelledRows, Summary, Tally, joined
from banditgym.data.svmlight_lines import LARGEST, LineLimits, parse
from banditgym.validation import brief, whole

MOST_LABELS = 65_536  # more distinct values are numbers to predict, not labels
ZeroBased = bool | Literal["auto"]


@dataclass(frozen=True, kw_only=True)
class SvmlightSummary(Summary):
    """``Summary`` of a file, and whether it counts features from 0 or from 1."""

    zero_based: bool


def scan(
    path: str | Path, *, dim: int | None = None, zero_based: ZeroBased = "auto"
) -> SvmlightSummary:
    """A summary of a file, from one pass in constant memory.

    Parameters
    ----------
    path : str or Path
        The file.
    dim : int, optional
        Number of features d; by default as many as the largest index needs.
    zero_based : bool or "auto"
        Whether the file counts features from 0; see above.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a line is malformed, a label or value is not a finite number, indices do not increase, or
        an index is outside 0..d-1 or 1..d; the message names the file and the line. If the file has
        no rows, no features, or only one label, or cannot be unpacked; the message names the file.
    """
    tally = _Tally(Path(path), dim, zero_based)
    for entries in tally.read():
        tally.add(entries)
    return tally.summary()


def load(
    path: str | Path, *, dim: int | None = None, zero_based: ZeroBased = "auto"
) -> LabelledRows:
    """All rows of a file at once; parameters and errors are those of ``scan``."""
    tally = _Tally(Path(path), dim, zero_based)
    parts = []
    for entries in tally.read():
        tally.add(entries)
        parts.append(entries)
    return _joined(parts, tally.summary())


def stream(
    path: str | Path, summary: SvmlightSummary, *, rows: int = 4096
) -> Iterator[LabelledRows]:
    """The rows of a scanned file in chunks of at most ``rows``, in order and in constant memory.

    A chunk is shorter where a group of lines ends.

    Raises
    ------
    ValueError
        If the file no longer agrees with ``summary``, or for anything that ``scan`` refuses. A
        chunk never has an index, a label or a width beyond those scanned; other changes are noticed
        when the last row has been read.
    """
    tally = _Tally(Path(path), summary.dim, summary.zero_based, summary)
    rows = whole("rows", rows)
    for entries in tally.read():
        tally.add(entries)
        group = _joined([entries], summary)
        for start in range(0, len(group), rows):
            yield group.cut(start, start + rows)
    now = tally.summary()
    if now.n_rows != summary.n_rows:
        raise ValueError(f"{path}: {summary.n_rows} rows were scanned, now it has {now.n_rows}")
    if now != summary:
        raise ValueError(f"{path}: its rows are no longer those scanned")


class _Tally:
    """The summary of a file so far."""

    def __init__(
        self,
        path: Path,
        dim: int | None,
        zero_based: ZeroBased,
        expected: SvmlightSummary | None = None,
    ):
        if not isinstance(zero_based, bool | np.bool_ | int | str) or zero_based not in (
            True,
            False,
            "auto",
        ):
            raise ValueError(f'zero_based must be True, False or "auto", got {brief(zero_based)}')
        self._path = path
        self._dim = None if dim is None else whole("dim", dim)
        self._zero_based: ZeroBased = zero_based if zero_based == "auto" else bool(zero_based)
        self._expected = expected
        self._rows = Tally()
        self._least, self._largest = LARGEST, -1

    def read(self) -> Iterator[Entries]:
        highest = LARGEST
        if self._dim is not None:
            # Until the base is known, index d may be the last one of a file that counts from 1.
            highest = min(self._dim - (self._zero_based is True), LARGEST)
        lowest = int(self._zero_based is False)
        limits = LineLimits(lowest=lowest, highest=highest, summary=self._expected)
        for number, lines in line_groups(self._path):
            yield parse(self._path, number, lines, limits)

    def add(self, entries: Entries) -> None:
        indptr, indices, values, labels = entries
        if not len(labels):  # only comments
            return
        self._rows.add(indptr, values, labels)
        if len(self._rows.labels) > MOST_LABELS:
            raise ValueError(
                f"{self._path}: labels must be of at most {MOST_LABELS} kinds, got more: "
                "are they numbers to be predicted?"
            )
        if len(indices):
            self._least = min(self._least, int(indices.min()))
            self._largest = max(self._largest, int(indices.max()))

    def summary(self) -> SvmlightSummary:
        labels = sorted(self._rows.labels)
        if not labels:
            raise ValueError(f"{self._path}: the file has no rows")
        if len(labels) < 2:
            raise ValueError(
                f"{self._path}: labels must be of two kinds at least, got only {_tidy(*labels)!r}"
            )
        zero_based = self._least == 0 if self._zero_based == "auto" else bool(self._zero_based)
        if self._largest < 0 and self._dim is None:
            raise ValueError(f"{self._path}: no row has an entry, and dim is not given")
        dim = self._dim or self._largest + zero_based
        if self._largest + zero_based > dim:
            # The base was not known yet when the index was read.
            self._zero_based = True
            for _ in self.read():
                pass
        return SvmlightSummary(
            **self._rows.numbers(),
            labels=tuple(map(_tidy, labels)),
            dim=dim,
            zero_based=zero_based,
        )


def _tidy(label: float) -> float | int:
    """The label, as an int if it is an integer that fits numpy's."""
    return int(label) if label.is_integer() and abs(label) < 2**53 else label


def _joined(parts: list[Entries], summary: SvmlightSummary) -> LabelledRows:
    """One set of rows from groups of lines, indices from 0 and labels in 0..k-1."""
    indptr, indices, values, labels = joined(parts)
    if not summary.zero_based:
        indices -= 1
    codes = np.searchsorted(summary.labels, labels).astype(np.int64)
    return LabelledRows.summarised(summary, (indptr, indices, values, codes))
