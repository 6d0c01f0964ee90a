"""Tables of rows with a named target: CSV and Parquet files, and pandas DataFrames.

The other columns are the features, encoded as numbers (``banditgym.data.table_encoding``). A table
and the name of its target are given as a pair, ``("wine.csv", "kind")`` or ``(frame, "kind")``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banditgym.data.table_encoding import encoded
from banditgym.validation import brief, legible, nearest

if TYPE_CHECKING:  # pandas takes a third of a second to import
    import pandas

_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".parquet")


def is_table(data: object) -> bool:
    """Whether data is a pair of a table and the name of a column, and not of arrays."""
    return isinstance(data, tuple | list) and len(data) == 2 and isinstance(data[1], str)


def labelled_table(data: Any, target: str) -> tuple[np.ndarray, np.ndarray]:
    """Features (N, d) and labels (N,), numbers or strings, of a table; encoded by all its rows.

    Raises
    ------
    ValueError
        As `read_table`, `target_column` and ``table_encoding.encoded`` do.
    """
    from pandas.api import types

    features, column = _encoded(data, target)
    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return features, column.to_numpy()
    return features, column.astype(str).to_numpy(dtype=str)


def numbered_table(data: Any, target: str) -> tuple[np.ndarray, np.ndarray]:
    """Features (N, d) and finite numbers (N,) of a table; encoded by all its rows.

    Raises
    ------
    ValueError
        As `labelled_table`, and for a target that is text or not finite.
    """
    features, column = _encoded(data, target)
    return features, numbers_of(f"the target {target!r}", column)


def read_table(data: Any) -> "tuple[str, pandas.DataFrame]":
    """The file's name, or "the frame", and the table, whose columns are named by texts.

    Parameters
    ----------
    data : str, Path or DataFrame
        A CSV file (also .gz or .bz2), a Parquet file, or a DataFrame.

    Raises
    ------
    ValueError
        In one line, if the file is missing or cannot be read, or two columns have one name.
    """
    name, frame = _frame(data)
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{name} has two columns named {twice!r}")
    return name, frame


def target_column(name: str, frame: "pandas.DataFrame", target: str) -> "pandas.Series":
    """The column of the targets.

    Raises
    ------
    ValueError
        If there is no such column, no other column, or a target is missing.
    """
    if target not in frame.columns:
        hint = nearest(target, frame.columns) or (
            f"; there are {', '.join(map(legible, frame.columns))}"
        )
        raise ValueError(f"{name} has no column {target!r}{hint}")
    if len(frame.columns) < 2:
        raise ValueError(f"{name} has only one column, and so no features")
    column: Any = frame[target]
    missing = np.flatnonzero(column.isna())
    if len(missing):
        raise ValueError(
            f"{name} lacks {target!r} in {len(missing)} of {len(frame)} rows, first in row "
            f"{missing[0] + 1}: full labels are needed, so leave these rows out"
        )
    return column


def numbers_of(where: str, column: "pandas.Series") -> np.ndarray:
    """A column as finite numbers (N,)."""
    try:
        values = column.to_numpy(np.float64)
    except (ValueError, TypeError):
        raise ValueError(f"{where} has text, which is not a number: read it as classes") from None
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise ValueError(f"{where} must be finite, got {values[wrong[0]]} in row {wrong[0] + 1}")
    return values


def _encoded(data: Any, target: str) -> "tuple[np.ndarray, pandas.Series]":
    name, frame = read_table(data)
    column = target_column(name, frame, target)
    features = frame.drop(columns=target).reset_index(drop=True)
    return encoded(features, np.arange(len(frame))).rows, column


def _frame(data: Any) -> "tuple[str, pandas.DataFrame]":
    import pandas

    if isinstance(data, pandas.DataFrame):
        return "the frame", data
    if not isinstance(data, str | Path):
        raise ValueError(f"data must be a CSV or Parquet file or a DataFrame, got {brief(data)}")
    path = Path(data)
    if not path.is_file():
        raise ValueError(f"no such file: {path}")
    if not path.name.endswith(_ENDINGS):
        raise ValueError(f"{path} must end in {', '.join(_ENDINGS)}")
    try:
        if path.suffix == ".parquet":
            return path.name, pandas.read_parquet(path)
        # Before 3.1, the default parser often misses the nearest number by its last bit.
        older = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
        precise: dict[str, Any] = {"float_precision": "round_trip"} if older else {}
        return path.name, pandas.read_csv(path, **precise)
    except ImportError:
        raise ValueError(
            f"{path.name}: Parquet needs pyarrow: pip install 'banditgym[parquet]'"
        ) from None
    except (ValueError, OSError, EOFError) as error:  # pyarrow's and pandas' own derive from these
        what = "Parquet" if path.suffix == ".parquet" else "csv"
        raise ValueError(f"{path.name} cannot be read as {what}: {brief(str(error))}") from None
