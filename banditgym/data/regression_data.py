r"""Rows with a number each, to predict or to maximise: arrays, files, bundled data.

"diabetes", which comes with scikit-learn, has 442 rows of 10 features, in the units in which they
were measured; the number is the progression of the disease after a year.

A CSV file has one row per line, with commas between numbers. Its first line is read as names if
none of its fields is a number. Other files are read as svmlight (see ``svmlight``): their labels
are the numbers, any number of which may be distinct, and features are counted from 0 if the index 0
occurs, else from 1. Files ending in .gz or .bz2 are unpacked while they are read.

A CSV or Parquet file or a pandas DataFrame, paired with the name of the column of the numbers, may
have text and missing values: see ``target_tables``.
"""

import math
from pathlib import Path

import numpy as np

from banditgym.data import target_tables
from banditgym.data.csv_rows import csv_rows
from banditgym.data.files import line_groups
from banditgym.data.svmlight_lines import LARGEST, LineLimits, parse
from banditgym.envs.contexts import read_rows
from banditgym.validation import brief, memory, nearest, reals

BUNDLED = ("diabetes",)


def read_regression(data: object) -> tuple[np.ndarray, np.ndarray]:
    """Rows (N, d) and their numbers (N,) from a name, a file, a table or a pair of arrays.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is none of these, shapes do not fit, or a number is missing or not finite; for a file
        the message has the line.
    """
    if isinstance(data, str) and data in BUNDLED:
        from sklearn import datasets  # takes half a second to import

        rows, numbers = datasets.load_diabetes(return_X_y=True, scaled=False)
        # The values have at most four decimals; some releases stored them with rounding errors.
        return np.round(np.asarray(rows), 4), np.asarray(numbers)
    if isinstance(data, str | Path):
        path = Path(data)
        if not path.is_file():
            known = ", ".join(BUNDLED)
            raise FileNotFoundError(
                f"data: no such file, nor one of {known}: {path}{nearest(str(path), BUNDLED)}"
            )
        stem = path.with_suffix("") if path.suffix in (".gz", ".bz2") else path
        return load_csv(path) if stem.suffix == ".csv" else load_svmlight(path)
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise ValueError(
            f"data must be {', '.join(BUNDLED)}, the path of a file or a pair (X, y) or (table, "
            f"target), got {brief(data)}"
        )
    if target_tables.is_table(data):
        return target_tables.numbered_table(*data)
    if hasattr(data[0], "toarray"):
        raise ValueError("the X of data is sparse: rows are dense here, so give X.toarray()")
    rows, target = read_rows("the X of data", data[0]), reals("the y of data", data[1])
    if target.shape != (len(rows),):
        raise ValueError(
            f"the y of data must be of shape ({len(rows)},), as X has rows, got {target.shape}"
        )
    return rows, target


def load_csv(path: str | Path, target: int | str = -1) -> tuple[np.ndarray, np.ndarray]:
    """Rows (N, d) and their numbers (N,) of a csv file.

    Parameters
    ----------
    path : str or Path
        The file.
    target : int or str
        The column of the numbers, by its position from 0 or from the end, or by its name in the
        first line; the last one by default. All others are features.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With the file and the line of the fault: a field that is not a finite number, a row longer
        or shorter than the first, no rows, no such column, or no other column.
    """
    path = Path(path)
    names: list[str] = []
    width = 0
    rows: list[list[float]] = []
    for line, fields in csv_rows(path, numbers=True):
        values = [_number(field) for field in fields]
        if not width:
            width = len(fields)
            if all(value is None for value in values):
                names = [field.strip() for field in fields]
                continue
        if None in values:
            wrong = values.index(None)
            raise ValueError(
                f"{path}, line {line}: field {wrong + 1} must be a finite number, got "
                f"{brief(fields[wrong])}"
            )
        rows.append(values)  # type: ignore[arg-type]
    if not rows:
        raise ValueError(f"{path}: the file has no rows")
    column = _column(path, target, names, width)
    table = np.array(rows)
    features = np.ascontiguousarray(np.delete(table, column, axis=1))
    return features, np.ascontiguousarray(table[:, column])


def load_svmlight(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Rows (N, d), dense, and their labels (N,) as numbers, of a file in the svmlight format.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With the file and the line, for a line that breaks the format; with the file, if it has no
        rows, no features, or more of them than memory holds.
    """
    path = Path(path)
    limits = LineLimits(lowest=0, highest=LARGEST)
    parts = [parse(path, number, lines, limits) for number, lines in line_groups(path)]
    target = np.concatenate([labels for *_, labels in parts] or [np.empty(0)])
    if not len(target):
        raise ValueError(f"{path}: the file has no rows")
    row = np.repeat(
        np.arange(len(target)), np.concatenate([np.diff(indptr) for indptr, *_ in parts])
    )
    indices = np.concatenate([indices for _, indices, *_ in parts]).astype(np.int64)
    if not len(indices):
        raise ValueError(f"{path}: no row has an entry")
    if indices.min() > 0:
        indices -= 1
    shape = len(target), int(indices.max()) + 1
    if 8 * math.prod(shape) > memory():
        raise ValueError(
            f"{path}: {shape[0]} rows of {shape[1]} features would take about "
            f"{8e-9 * math.prod(shape):.3g} GB of memory, more than this machine has"
        )
    rows = np.zeros(shape)
    rows[row, indices] = np.concatenate([values for _, _, values, _ in parts])
    return rows, target.astype(np.float64)


def to_unit_cube(rows: np.ndarray) -> np.ndarray:
    """The rows (N, d), each column shifted and scaled to [0, 1]; one that is constant becomes 0.

    Examples
    --------
    >>> to_unit_cube(np.array([[-1.0, 5.0], [3.0, 5.0], [0.0, 5.0]]))
    array([[0.  , 0.  ],
           [1.  , 0.  ],
           [0.25, 0.  ]])
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    # Halves, since a range may be twice the largest float.
    width = high / 2 - low / 2
    scaled = (rows / 2 - low / 2) / np.where(width > 0, width, 1.0)
    return np.ascontiguousarray(np.clip(scaled, 0.0, 1.0))


def _number(field: str) -> float | None:
    """The finite number in a field, or None."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _column(path: Path, target: int | str, names: list[str], width: int) -> int:
    """The position of the target among ``width`` columns."""
    if isinstance(target, str):
        if target not in names:
            raise ValueError(f"{path}: has no column {target!r}{nearest(target, names)}")
        if names.count(target) > 1:
            raise ValueError(f"{path}: has two columns named {target!r}")
        target = names.index(target)
    if not -width <= target < width:
        raise ValueError(f"{path}: target must be a column of 0..{width - 1}, got {target}")
    if width == 1:
        raise ValueError(f"{path}: has only one column, and so no features")
    return target % width
