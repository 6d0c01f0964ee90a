"""Features of a table as numbers, fitted by scikit-learn, and sentences on how they were encoded.

``columns`` finds which columns hold numbers, times, or text.

The medians, categories and means come only from the rows that the encoding is fitted to: all rows
in an environment, and the tuning rows in ``banditgym choose``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from banditgym.data.columns import (
    NUMBERS,
    TEXT,
    TIMES,
    TWO_READINGS,
    Column,
    Reading,
    read_column,
)
from banditgym.data.labelled_rows import powers_of
from banditgym.data.table_encoder import MISSING, NumberColumn, TableEncoder, TextColumn
from banditgym.validation import brief

if TYPE_CHECKING:  # pandas and scikit-learn take most of a second to import
    import pandas

MOST_VALUES = 20  # of a text column, that get a feature of their own; the others share one


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features as numbers.

    Attributes
    ----------
    encoder : TableEncoder
        It gives the rows from the table.
    rows : float64 ndarray of shape (N, d)
    said : tuple of str
        Sentences on how the features were encoded.
    warned : tuple of str
        What the owner of the table should know: columns that are left out because they hold times
        or text with two readings, and cells that are no numbers in columns of numbers.
    """

    encoder: TableEncoder
    rows: np.ndarray
    said: tuple[str, ...]
    warned: tuple[str, ...]


def encoded(features: "pandas.DataFrame", fitted_to: np.ndarray) -> Encoded:
    """Encode all rows, with an encoding that is fitted to some of them.

    Missing numbers are replaced by the median, with a further feature that says where. Numbers are
    scaled to mean 0 and standard deviation 1. Text has a 0-1 feature for each value. Times are left
    out.

    Parameters
    ----------
    features : DataFrame of N rows
    fitted_to : int64 ndarray
        The rows that the encoding is fitted to.

    Raises
    ------
    ValueError
        If a number is infinite, or no column is left.
    """
    import pandas

    columns = {str(name): read_column(str(name), column) for name, column in features.items()}
    given, features = (
        features,
        pandas.DataFrame({name: column.cells for name, column in columns.items()}),
    )
    numeric, text, dropped = [], [], []
    for name, column in columns.items():
        reason = _useless(column, fitted_to)
        if reason is not None:
            dropped.append(f"{name} ({reason})")
        else:
            (numeric if column.holds == NUMBERS else text).append(name)
    if not numeric and not text:
        raise ValueError(f"no column is left as a feature: left out {', '.join(dropped)}")
    numbers: Any = features[numeric].astype(np.float64)
    _refuse_infinite(numbers)
    words = features[text].astype(object)
    words = words.where(words.notna(), MISSING).astype(str)
    powers = powers_of(numbers.to_numpy())  # which scaling to deviation 1 undoes
    numbers[:] = np.ldexp(numbers.to_numpy(), -powers)
    readings = [columns[name].reading for name in numeric]
    encoder = TableEncoder(
        _number_columns(numbers.iloc[fitted_to], readings, powers),
        _text_columns(words.astype(object).iloc[fitted_to]),
    )
    rows = encoder(given)
    warned = tuple(column.warning for column in columns.values() if column.warning)
    # Times are said to be left out.
    doubts = [column.warning for column in columns.values() if column.holds != TIMES]
    said = (*_said(features, numeric, text, dropped), *filter(None, doubts))
    return Encoded(encoder, rows, said, warned)


def _number_columns(
    numbers: "pandas.DataFrame", readings: Sequence[Reading], powers: np.ndarray
) -> tuple[NumberColumn, ...]:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

    if numbers.empty:
        return ()
    filled: Any = SimpleImputer(strategy="median", add_indicator=True)
    scaled: Any = StandardScaler().fit(filled.fit_transform(numbers))
    p = len(readings)
    ends = list(zip(scaled.mean_.tolist(), scaled.scale_.tolist(), strict=True))
    gaps = dict(zip(filled.indicator_.features_.tolist(), ends[p:], strict=True))
    medians = filled.statistics_.tolist()
    return tuple(
        NumberColumn(name, readings[j], int(powers[j]), medians[j], *ends[j], *gaps.get(j, ()))
        for j, name in enumerate(numbers.columns)
    )


def _text_columns(words: "pandas.DataFrame") -> tuple[TextColumn, ...]:
    from sklearn.preprocessing import OneHotEncoder

    if words.empty:
        return ()
    fitted: Any = OneHotEncoder(max_categories=MOST_VALUES, handle_unknown="infrequent_if_exist")
    fitted.fit(words)
    columns = []
    rare = fitted.infrequent_categories_
    for name, values, others in zip(words.columns, fitted.categories_, rare, strict=True):
        left = set() if others is None else set(others.tolist())
        kept = tuple(value for value in values.tolist() if value not in left)
        columns.append(TextColumn(name, kept, others is not None))
    return tuple(columns)


def _useless(column: Column, fitted_to: np.ndarray) -> str | None:
    """Why a column gives no information; None if it may."""
    if column.holds == TIMES:
        return "a time"
    if column.holds == TWO_READINGS:
        return TWO_READINGS
    fitted = column.cells.iloc[fitted_to]
    if fitted.isna().all():
        return "empty"
    distinct = fitted.astype(str).nunique()  # a missing value is one of them
    if distinct == 1:
        return "the same in every row"
    if distinct == len(fitted) and column.holds == TEXT:
        return "another text in every row"
    return None


def _refuse_infinite(numbers: "pandas.DataFrame") -> None:
    for name in numbers.columns:
        wrong = np.flatnonzero(np.isinf(numbers[name].to_numpy()))
        if len(wrong):
            raise ValueError(
                f"the column {brief(name)} must be finite, got {numbers[name].iloc[wrong[0]]} in "
                f"row {wrong[0] + 1}"
            )


def _said(
    features: "pandas.DataFrame",
    numeric: Sequence[str],
    text: Sequence[str],
    dropped: Sequence[str],
) -> tuple[str, ...]:
    gaps = dict(zip(features.columns, features.isna().to_numpy().sum(axis=0).tolist(), strict=True))
    said = []
    if numeric:
        said.append(
            f"{_columns(numeric)} of numbers, scaled to mean 0 and standard deviation 1 (scikit-"
            "learn's StandardScaler)"
        )
    if holes := [f"{name} ({gaps[name]})" for name in numeric if gaps[name]]:
        said.append(
            f"missing numbers become the median, with a feature that says where (SimpleImputer): "
            f"{', '.join(holes)}"
        )
    if text:
        said.append(
            f"{_columns(text)} of text, a 0-1 feature for each value; with more than "
            f"{MOST_VALUES} values, one for the rarest together (OneHotEncoder)"
        )
    if holes := [f"{name} ({gaps[name]})" for name in text if gaps[name]]:
        said.append(f"missing text counts as a value: {', '.join(holes)}")
    if dropped:
        said.append(f"left out: {', '.join(dropped)}")
    return tuple(said)


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8]) + (", .." if len(names) > 8 else "")
    return f"{len(names)} column{'s' * (len(names) > 1)} ({shown})"
