"""Tables of rows with a named target: CSV and Parquet files, and pandas DataFrames.

The other columns are the features, encoded as numbers (``banditgym.data.table_encoding``). A
warning names columns of times, which are left out, and those that could be read in another way
(``banditgym.data.columns``). A table and the name of its target are given as a pair,
``("wine.csv", "kind")`` or ``(frame, "kind")``. In the target every text is a class, "NA" too, and
only an empty cell is missing.
"""

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banditgym.data.columns import as_float, is_number
from banditgym.data.csv_rows import csv_rows
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


def read_table(data: Any, target: str) -> "tuple[str, pandas.DataFrame]":
    """The file's name, or "the frame", and the table, whose columns are named by texts.

    Parameters
    ----------
    data : str, Path or DataFrame
        A CSV file (also .gz or .bz2), a Parquet file, or a DataFrame.
    target : str
        The column in which every text of a CSV file is kept, such as "NA"; in others, pandas takes
        such words for missing values.

    Raises
    ------
    ValueError
        In one line, if the file is missing or cannot be read, a row is longer than the first line,
        two columns have one name, or a column has complex numbers.
    """
    name, frame = _frame(data, target)
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{name} has two columns named {twice!r}")
    for column, dtype in frame.dtypes.items():
        if dtype.kind == "c":
            raise ValueError(f"the column {brief(column)} of {name} has complex numbers")
    return name, frame


def target_column(name: str, frame: "pandas.DataFrame", target: str) -> "pandas.Series":
    """The column of the targets, as numbers if all cells are numbers by their type.

    Raises
    ------
    ValueError
        If there is no such column, no other column, or a target is missing.
    """
    import pandas

    if target not in frame.columns:
        hint = nearest(target, frame.columns) or (
            f"; there are {', '.join(map(legible, frame.columns))}"
        )
        raise ValueError(f"{name} has no column {target!r}{hint}")
    if len(frame.columns) < 2:
        raise ValueError(f"{name} has only one column, and so no features")
    column: Any = frame[target]
    lost = column.isna()
    if not pandas.api.types.is_numeric_dtype(column):
        lost |= column.astype(str).str.strip() == ""
    missing = np.flatnonzero(lost)
    if len(missing):
        raise ValueError(
            f"{name} lacks {target!r} in {len(missing)} of {len(frame)} rows, first in row "
            f"{missing[0] + 1}: full labels are needed, so leave these rows out"
        )
    if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
        return column
    cells = list(column)
    if not all(map(is_number, cells)) or isinstance(column.dtype, pandas.CategoricalDtype):
        return column
    numbers = np.array(cells)
    if numbers.dtype.kind not in "biuf":  # Decimals, integers beyond 64 bits
        numbers = np.array(list(map(as_float, cells)))
    return pandas.Series(numbers, index=column.index, name=target)


def numbers_of(where: str, column: "pandas.Series") -> np.ndarray:
    """A column as finite numbers (N,)."""
    if column.dtype.kind in "mM":
        raise ValueError(f"{where} has times, which are not numbers: read it as classes")
    try:
        values = column.to_numpy(np.float64)
    except (ValueError, TypeError):
        import pandas

        numbers: Any = pandas.to_numeric(column.astype(object), errors="coerce")
        odd = int(numbers.isna().argmax())
        raise ValueError(
            f"{where} has text, which is not a number, such as {brief(column.iloc[odd])} in row "
            f"{odd + 1}: read it as classes"
        ) from None
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise ValueError(f"{where} must be finite, got {values[wrong[0]]} in row {wrong[0] + 1}")
    return values


def _encoded(data: Any, target: str) -> "tuple[np.ndarray, pandas.Series]":
    name, frame = read_table(data, target)
    column = target_column(name, frame, target)
    features = frame.drop(columns=target).reset_index(drop=True)
    found = encoded(features, np.arange(len(frame)))
    for text in found.warned:
        warnings.warn(f"{name}: {text}", stacklevel=2)
    return found.rows, column


def _frame(data: Any, target: str) -> "tuple[str, pandas.DataFrame]":
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
    names = [] if path.suffix == ".parquet" else _names(path)
    try:
        if path.suffix == ".parquet":
            return path.name, pandas.read_parquet(path)
        return path.name, _read_csv(path, names, target)
    except ImportError:
        raise ValueError(
            f"{path.name}: Parquet needs pyarrow: pip install 'banditgym[parquet]'"
        ) from None
    except (ValueError, OSError, EOFError) as error:  # pyarrow's and pandas' own derive from these
        what = "Parquet" if path.suffix == ".parquet" else "csv"
        raise ValueError(f"{path.name} cannot be read as {what}: {brief(str(error))}") from None


def _names(path: Path) -> list[str]:
    """The names in the first line of a csv file; no row has more fields."""
    names: list[str] = []
    for _, fields in csv_rows(path):
        names = names or fields
    for name, count in Counter(names).items():
        if name and count > 1:  # which pandas would rename
            raise ValueError(f"{path.name} has two columns named {name!r}")
    return names


def _read_csv(path: Path, names: list[str], target: str) -> "pandas.DataFrame":
    import pandas

    settings: dict[str, Any] = {"index_col": False, "low_memory": False}
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        # There the default parser often misses the nearest number by its last bit.
        settings["float_precision"] = "round_trip"
    frame = pandas.read_csv(path, **settings)
    if target in names and frame[target].isna().any():
        # pandas takes words such as NA for missing; here every text is a class.
        every = {"dtype": str, "keep_default_na": False, "usecols": [names.index(target)]}
        frame[target] = pandas.read_csv(path, **settings, **every)[target]
    return frame
