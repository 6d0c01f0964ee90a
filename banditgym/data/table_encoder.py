"""The encoding of a table's rows as numbers, by itself: for rows that come later, one at a time.

It is plain data, which JSON holds. ``table_encoding`` fits it to the rows of a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from banditgym.data.columns import Reading
from banditgym.validation import brief, nearest

MISSING = "(missing)"


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, which gives (x - mean) / deviation.

    Parameters
    ----------
    name : str
    reading : Reading
        How cells that are texts are read.
    power : int
        Numbers are first divided by 2^power.
    median : float
        It stands for a missing number.
    mean, deviation : float
    gap_mean, gap_deviation : float or None
        Those of a further feature, 1 where the number is missing and else 0; None if there is no
        such feature.
    """

    name: str
    reading: Reading
    power: int
    median: float
    mean: float
    deviation: float
    gap_mean: float | None = None
    gap_deviation: float | None = None


@dataclass(frozen=True)
class TextColumn:
    """A column of text, which gives a 0-1 feature for each value.

    Parameters
    ----------
    name : str
    values : tuple of str
        Missing text is the value "(missing)".
    others : bool
        Whether a last feature stands for all other values; else these give zeros.
    """

    name: str
    values: tuple[str, ...]
    others: bool

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each value among the features."""
        return {value: place for place, value in enumerate(self.values)}


@dataclass(frozen=True)
class TableEncoder:
    """Rows as numbers: the columns of numbers, where numbers are missing, and text.

    Parameters
    ----------
    numbers : tuple of NumberColumn
    text : tuple of TextColumn

    Examples
    --------
    >>> town = TextColumn("town", ("Bonn", "Ulm"), others=False)
    >>> size = NumberColumn("size", Reading(), 0, median=3.0, mean=2.0, deviation=0.5)
    >>> encoder = TableEncoder((size,), (town,))
    >>> encoder({"town": "Ulm", "size": 2.5}), encoder({"town": "Jena", "size": None})
    (array([1., 0., 1.]), array([2., 0., 0.]))
    """

    numbers: tuple[NumberColumn, ...]
    text: tuple[TextColumn, ...]

    @cached_property
    def dim(self) -> int:
        """Number of features d."""
        return len(self._scales[-1]) + sum(len(one.values) + one.others for one in self.text)

    def __call__(self, rows: Any) -> np.ndarray:
        """The features (d,) of a row, a mapping of columns, or (N, d) of a DataFrame's rows.

        Columns are found by their names, and others are ignored. A number that is no number counts
        as missing.

        Raises
        ------
        ValueError
            If a column is not there, or a number is infinite.
        """
        if isinstance(rows, Mapping):
            return self._encoded({name: [cell] for name, cell in rows.items()}, 1)[0]
        columns = {str(name): column for name, column in rows.items()}
        return self._encoded(columns, len(rows))

    def _encoded(self, columns: Mapping[str, Any], n_rows: int) -> np.ndarray:
        rows = np.zeros((n_rows, self.dim))
        cells = [one.reading.numbers(_column(columns, one.name)) for one in self.numbers]
        given = np.array(cells, np.float64).reshape(len(cells), n_rows).T
        if np.isinf(given).any():
            wrong = self.numbers[int(np.isinf(given).any(axis=0).argmax())].name
            raise ValueError(f"the column {brief(wrong)} must be finite")
        powers, medians, with_gaps, means, deviations = self._scales
        missing, start = np.isnan(given), len(means)
        if powers.any():
            given = np.ldexp(given, -powers)
        given = np.where(missing, medians, given)
        rows[:, :start] = np.hstack([given, missing[:, with_gaps]])
        rows[:, :start] -= means
        rows[:, :start] /= deviations
        for one in self.text:
            last = len(one.values) if one.others else -1
            places, words = one.places, _column(columns, one.name)
            for i, cell in enumerate(words if isinstance(words, list) else words.tolist()):
                place = places.get(_text(cell), last)
                if place >= 0:
                    rows[i, start + place] = 1.0
            start += len(one.values) + one.others
        return rows

    @cached_property
    def _scales(self) -> tuple[np.ndarray, ...]:
        """Powers, medians and which have gaps, of numbers; means and deviations, also of gaps."""
        ends = [(one.mean, one.deviation) for one in self.numbers]
        gaps = [one.gap_mean is not None for one in self.numbers]
        ends += [
            (one.gap_mean, one.gap_deviation) for one in self.numbers if one.gap_mean is not None
        ]
        return (
            np.array([one.power for one in self.numbers], np.int64),
            np.array([one.median for one in self.numbers]),
            np.array(gaps, bool),
            *np.array(ends, np.float64).reshape(-1, 2).T,
        )


def _column(columns: Mapping[str, Any], name: str) -> Any:
    try:
        return columns[name]
    except KeyError:
        hint = nearest(name, columns)
        raise ValueError(f"the rows have no column {brief(name)}{hint}") from None


def _text(cell: Any) -> str:
    try:
        missing = cell is None or bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA has no truth, and of an array it is not one
        missing = not hasattr(cell, "__len__")
    return MISSING if missing else str(cell)
