"""What a column of a table holds, in whichever type: numbers, times, or text.

A column holds numbers if all its cells that are not missing are numbers: booleans, integers,
floats, Decimals, or texts with one reading. Where at least nine tenths are, the others count as
missing. A text may have separators of thousands, a decimal comma, and a currency or a percent sign
if no other sign occurs in the column. "1,234" has two readings: the column is numbers only if other
cells, such as "0,5" or "1,234,567", leave one of them. A pandas categorical is text: its maker says
so.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from math import inf, nan
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from banditgym.validation import brief

if TYPE_CHECKING:  # pandas takes a third of a second to import
    import pandas

NUMBERS, TIMES, TEXT, TWO_READINGS = "numbers", "times", "text", "two readings"

_TRUTH = {"true": 1.0, "false": 0.0}  # in any case, as in csv files
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_SIGNS = "$€£¥₹"
_SIGNED = re.compile(
    rf"([+-]?)\s*([{_SIGNS}]?)\s*([+-]?)\s*([.,]?\d.*?)\s*([{_SIGNS}%]?)", re.DOTALL
)
_BLANK = "[ '\N{RIGHT SINGLE QUOTATION MARK}_\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]"


def _written(thousands: str, decimal: str) -> re.Pattern:
    groups = rf"[1-9]\d{{0,2}}(?:{thousands}|(?:{_BLANK}\d{{3}})+)"
    return re.compile(rf"((?:{groups}|\d+)?)(?:{decimal}(\d*))?(e[+-]?\d+)?", re.IGNORECASE)


# By the sign before decimals; the other one separates thousands, and in India also lakhs.
_POINT, _COMMA = _written(r"(?:,\d{2,3})*,\d{3}", r"\."), _written(r"(?:\.\d{3})+", ",")

_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[5-9]|20|21)\d\d"
_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    rf"(?:{_YEAR}[-/]{_MONTH}(?:[-/]{_DAY})?|{_YEAR}\.{_MONTH}\.{_DAY}|{_YEAR}-?(?:q[1-4]|w\d\d)"
    rf"|{_DAY}[-/]{_DAY}[-/](?:{_YEAR}|\d\d)|{_DAY}\.{_MONTH}\.{_YEAR}|\d\d\.\d\d\.\d\d"
    rf"|(?:{_DAY}[ /-])?{_NAME}[ /-]{_YEAR}|{_DAY}[ /-]{_NAME}[ /-]\d\d|{_NAME} {_DAY},? {_YEAR})"
)
_ZONE = r"(?:\s*(?:z|utc|gmt|[+-]\d\d:?\d\d))?"
_CLOCK = rf"\d{{1,3}}:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?{_ZONE}"
_TIME = re.compile(
    rf"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?{_DATE}(?:(?:[t:]|,?\s+){_CLOCK}|/{_DATE})?"
    rf"|{_CLOCK}|\d{{1,2}}\s*[ap]m|-?\d+ days?(?:,?\s+[+-]?{_CLOCK})?",
    re.IGNORECASE,
)
# A number with other text behind it, such as its unit.
_BEGINS = re.compile(r"[+-]?[.,]?\d[\d.,]*\s*[^\W\d_]{1,5}\.?")


@dataclass(frozen=True)
class Reading:
    """How a column's cells are read as numbers.

    Parameters
    ----------
    way : int
        Texts are read as in code (0), with decimal points (1) or with decimal commas (2).
    signs : tuple of str
        The signs that may stand beside a number, "" for none.
    """

    way: int = 0
    signs: tuple[str, ...] = ("",)

    def numbers(self, cells: Any) -> Any:
        """The numbers of a column's cells, NaN where one is missing or is none."""
        dtype = getattr(cells, "dtype", None)
        if dtype is not None and self == Reading() and dtype.kind in "biuf":
            return cells.astype(np.float64)
        return [self._number(cell) for cell in cells]

    def _number(self, cell: Any) -> float:
        if isinstance(cell, float | int) and "" in self.signs:
            return as_float(cell)
        sign, *readings = _readings(cell)
        return readings[self.way] if sign in self.signs else nan


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was read.

    Attributes
    ----------
    holds : str
        "numbers", "times", "text" or "two readings".
    cells : Series
        The numbers, where cells of another type or text became numbers; else the column as given.
    warning : str
        What its owner should know; empty if nothing.
    reading : Reading
        How its numbers were read.
    """

    holds: str
    cells: "pandas.Series"
    warning: str = ""
    reading: Reading = Reading()


def read_column(name: str, column: "pandas.Series") -> Column:
    """Find what a column holds, and convert its numbers."""
    import pandas

    if pandas.api.types.is_numeric_dtype(column):
        return Column(NUMBERS, column)
    try:
        codes, values = pandas.factorize(column.to_numpy(object))
    except TypeError:  # lists and other cells that have no hash
        return Column(TEXT, column)
    cells = list(values)
    counts = np.bincount(codes[codes >= 0], minlength=len(cells))
    counts[[isinstance(cell, str) and not cell.strip() for cell in cells]] = 0  # as good as missing
    total = counts.sum()
    if not total:
        return Column(TEXT, column)
    if _most(counts[[_is_time(cell) for cell in cells]].sum(), total):
        return Column(TIMES, column, f"the column {brief(name)} is left out: it holds times")
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return Column(TEXT, column)
    holds, numbers, reading, warning = _read_cells(cells, counts)
    if numbers is not None:
        found = np.append(numbers, nan)[codes]  # the code of a missing cell is -1
        column = pandas.Series(found, index=column.index, name=column.name)
    warning = f"the column {brief(name)} {warning}" if warning else ""
    return Column(holds, column, warning, reading)


def is_number(cell: object) -> bool:
    """Whether a cell is a number by its type."""
    return isinstance(cell, Real | Decimal | np.bool_)


def as_float(number: Any) -> float:
    """A number as a float; infinite where it is too large."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _most(some: int, total: int) -> bool:
    return 10 * int(some) >= 9 * int(total)


def _is_time(cell: object) -> bool:
    import pandas

    if isinstance(cell, str):
        return _TIME.fullmatch(cell.strip()) is not None
    return isinstance(
        cell, date | time | timedelta | pandas.Period | np.datetime64 | np.timedelta64
    )


def _read_cells(
    cells: list[Any], counts: np.ndarray
) -> tuple[str, np.ndarray | None, Reading, str]:
    """What distinct cells hold, their numbers (m,) by their one reading, it, and a warning."""
    total = int(counts.sum())
    signs, plain, point, comma = map(np.array, zip(*map(_readings, cells), strict=True))
    readings = np.array([plain, point, comma])
    longer = [isinstance(cell, str) and bool(_BEGINS.fullmatch(cell.strip())) for cell in cells]
    begins = np.array(longer) | ~np.isnan(readings).all(axis=0)
    accepted = _accepted(signs, counts)
    readings[:, ~np.isin(signs, accepted)] = nan
    read = ~np.isnan(readings)
    shares = (read * counts).sum(axis=1)
    enough = np.array([_most(share, total) for share in shares])
    best = enough & (read == read.any(axis=0)).all(axis=1)  # no other reading has further cells
    fitting = [0] if best[0] else [way for way in (1, 2) if (best if best.any() else enough)[way]]
    differs = (point != comma) & read[1] & read[2]
    if len(fitting) == 2 and differs.any():
        i = int(np.flatnonzero(differs)[0])
        warning = (
            f"is left out: its text has two readings, as {brief(cells[i])} may be {point[i]:.15g} "
            f"or {comma[i]:.15g}; write its numbers with a decimal point and without separators of "
            "thousands, or read the file by pandas with thousands=',' or decimal=','"
        )
        return TWO_READINGS, None, Reading(), warning
    if fitting:
        lost = np.flatnonzero(~read[fitting[0]] & (counts > 0))
        warning = ""
        if len(lost):
            warning = (
                f"is read as numbers: {counts[lost].sum()} of its {total} cells are no numbers, "
                f"such as {brief(cells[lost[0]])}, and count as missing values"
            )
        return NUMBERS, readings[fitting[0]], Reading(fitting[0], tuple(accepted)), warning
    if 2 * counts[begins].sum() < total:
        return TEXT, None, Reading(), ""
    other = cells[np.flatnonzero(~read[shares.argmax()] & (counts > 0))[0]]
    warning = (
        f"is read as text, although {counts[begins].sum()} of its {total} cells are or begin with "
        f"a number: to use it as numbers, write numbers alone, unlike {brief(other)}, or leave "
        "cells empty"
    )
    return TEXT, None, Reading(), warning


def _accepted(signs: np.ndarray, counts: np.ndarray) -> list[str]:
    """The signs that numbers of one column may have: "%" alone, or one currency and none."""
    found = Counter[str]()
    for sign, count in zip(signs.tolist(), counts.tolist(), strict=True):
        found[sign] += count
    if found.most_common(1)[0][0] == "%":
        return ["%"]
    currencies = [sign for sign, _ in found.most_common() if sign not in ("", "%")]
    return ["", *currencies[:1]]


def _readings(cell: Any) -> tuple[str, float, float, float]:
    """The sign beside a cell's number, and the number as in code, by points and by commas.

    A number is NaN if the cell has no such reading.
    """
    if is_number(cell):
        number = as_float(cell)
        return "", number, number, number
    if not isinstance(cell, str):
        return "", nan, nan, nan
    text = cell.strip().replace("\N{MINUS SIGN}", "-")
    plain = _TRUTH.get(text.lower(), nan)
    if _PLAIN.fullmatch(text):
        plain = float(text)
    match = _SIGNED.fullmatch(text)
    if match is None or (match[2] and match[5]) or (match[1] and match[3]):
        return "", plain, plain, plain
    factor = -1.0 if "-" in (match[1], match[3]) else 1.0
    point, comma = (factor * _value(way.fullmatch(match[4])) for way in (_POINT, _COMMA))
    return match[2] + match[5], plain, point, comma


def _value(match: re.Match[str] | None) -> float:
    if match is None:
        return nan
    whole, decimals, power = match.groups()
    digits = re.sub(r"\D", "", whole)
    return float(f"{digits or 0}.{decimals or 0}{power or ''}")
