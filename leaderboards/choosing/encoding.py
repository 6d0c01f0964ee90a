"""Features of a table as numbers, by scikit-learn, and what was done in words.

What the encoding depends on (medians, categories, means) comes from the tuning rows alone, so that
nothing of the reporting rows enters the settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from banditgym.validation import brief

MOST_VALUES = 20  # of a text column, that get a feature of their own; the others share one
_MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features as numbers.

    Attributes
    ----------
    rows : float64 ndarray of shape (N, d)
    said : tuple of str
        What was done, a sentence each.
    """

    rows: np.ndarray
    said: tuple[str, ...]


def encoded(features: pandas.DataFrame, tuning: np.ndarray) -> Encoded:
    """Encode all rows by what the tuning rows show.

    Numbers are filled with the median, with a feature that says where, and scaled to mean 0 and
    standard deviation 1. Text has a feature of 0 and 1 for each value.

    Parameters
    ----------
    features : DataFrame of N rows
    tuning : int64 ndarray
        The rows that the encoding is fitted to.

    Raises
    ------
    ValueError
        If a number is infinite, or no column is left.
    """
    fitted = features.iloc[tuning]
    numeric, text, dropped = [], [], []
    for name in features.columns:
        reason = _useless(fitted[name])
        if reason is not None:
            dropped.append(f"{name} ({reason})")
        elif pandas.api.types.is_numeric_dtype(features[name]):
            numeric.append(name)
        else:
            text.append(name)
    if not numeric and not text:
        raise ValueError(f"no column is left as a feature: left out {', '.join(dropped)}")
    numbers: Any = features[numeric].astype(np.float64)
    _refuse_infinite(numbers)
    words = features[text].astype(object)
    words = words.where(words.notna(), _MISSING).astype(str)
    encoder = ColumnTransformer(
        [
            ("numbers", make_pipeline(_filled(), StandardScaler()), numeric),
            ("text", _indicators(), text),
        ],
        sparse_threshold=0.0,
    )
    table = pandas.concat([numbers, words.astype(object)], axis=1)
    encoder.fit(table.iloc[tuning])
    rows = np.ascontiguousarray(encoder.transform(table), dtype=np.float64)
    return Encoded(rows, _said(features, numeric, text, dropped, rows.shape[1]))


def _filled() -> SimpleImputer:
    return SimpleImputer(strategy="median", add_indicator=True)


def _indicators() -> OneHotEncoder:
    return OneHotEncoder(
        max_categories=MOST_VALUES, handle_unknown="infrequent_if_exist", sparse_output=False
    )


def _useless(column: pandas.Series) -> str | None:
    """Why a column says nothing of the tuning rows; None if it may."""
    types = pandas.api.types
    if types.is_datetime64_any_dtype(column) or types.is_timedelta64_dtype(column):
        return "a time"
    if column.isna().all():
        return "empty"
    distinct = column.astype(str).nunique()  # a missing value is one of them
    if distinct == 1:
        return "the same in every row"
    if distinct == len(column) and not types.is_numeric_dtype(column):
        return "another text in every row"
    return None


def _refuse_infinite(numbers: pandas.DataFrame) -> None:
    for name in numbers.columns:
        wrong = np.flatnonzero(np.isinf(numbers[name].to_numpy()))
        if len(wrong):
            raise ValueError(
                f"the column {brief(name)} must be finite, got {numbers[name].iloc[wrong[0]]} in "
                f"row {wrong[0] + 1}"
            )


def _said(
    features: pandas.DataFrame,
    numeric: Sequence[str],
    text: Sequence[str],
    dropped: Sequence[str],
    dim: int,
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
            f"missing numbers are the median, with a feature that says where (SimpleImputer): "
            f"{', '.join(holes)}"
        )
    if text:
        said.append(
            f"{_columns(text)} of text, a feature of 0 and 1 for each value, of more than "
            f"{MOST_VALUES} the rarest together (OneHotEncoder)"
        )
    if holes := [f"{name} ({gaps[name]})" for name in text if gaps[name]]:
        said.append(f"missing text is a value of its own: {', '.join(holes)}")
    if dropped:
        said.append(f"left out: {', '.join(dropped)}")
    return (*said, f"{dim} features, by what the tuning rows alone show")


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8]) + (", .." if len(names) > 8 else "")
    return f"{len(names)} column{'s' * (len(names) > 1)} ({shown})"
