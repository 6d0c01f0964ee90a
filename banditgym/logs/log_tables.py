"""Tables as chunks of columns, and cells as numbers: CSV, Parquet, pandas and Arrow's streams."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from banditgym.data.csv_rows import csv_rows
from banditgym.validation import brief

# The keys of our own metadata in a Parquet file: of the log, and of its plays.
METADATA, AGENTS = b"banditgym", b"banditgym_agents"
_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".parquet")
NEEDS_ARROW = "needs pyarrow: pip install 'banditgym[parquet]'"

Cells = Any  # a pandas Series, or an array of Arrow


class BadCell(Exception):
    """A cell that cannot be used: its place from 0 on, and what it holds with the remedy."""

    def __init__(self, place: int, fault: str):
        super().__init__(fault)
        self.place, self.fault = place, fault


class LogTable:
    """A table that can be read several times, a chunk of rows at a time.

    Attributes
    ----------
    name : str
        The file's name, or "the frame" or "the table".
    names : list of str
        Of its columns.
    metadata : dict
        What ``agents.play`` wrote about a log; empty for others.
    """

    def __init__(self, data: Any):
        self._data: Any = data
        self.metadata: dict[str, Any] = {}
        if isinstance(data, str | Path):
            self._data = path = Path(data)
            self.name = path.name
            if not path.is_file():
                raise ValueError(f"no such file: {path}")
            if not path.name.endswith(_ENDINGS):
                raise ValueError(f"{path} must end in {', '.join(_ENDINGS)}")
            if path.suffix == ".parquet":
                with _parquet(path) as file:
                    self.names, found = file.schema_arrow.names, file.metadata.metadata
                self._read, self.metadata = self._of_parquet, _metadata(found)
            else:
                self._read, self.names = self._of_csv, _header(path)
        elif type(data).__module__.startswith("pandas") and hasattr(data, "iloc"):
            self.name, self.names = "the frame", [str(name) for name in data.columns]
            self._read = self._of_frame
        elif hasattr(data, "__arrow_c_stream__"):
            self.name, self._read = "the table", self._of_stream
            with _reader(data) as reader:
                self.names, self.metadata = reader.schema.names, _metadata(reader.schema.metadata)
        else:
            raise ValueError(
                "a log is a CSV or Parquet file, a DataFrame or a table with Arrow's stream "
                f"interface, got {brief(data)}"
            )
        for name, count in Counter(self.names).items():
            if count > 1:
                raise ValueError(f"{self.name} has two columns named {name!r}")

    def chunks(self, columns: Sequence[str], rows: int) -> Iterator[Mapping[str, Cells]]:
        """The cells of columns, at most ``rows`` rows at a time, none of which are empty."""
        for chunk in self._read(list(dict.fromkeys(columns)), rows):
            if len(next(iter(chunk.values()))):
                yield chunk

    def _of_parquet(self, columns: list[str], rows: int) -> Iterator[Mapping[str, Cells]]:
        try:
            with _parquet(self._data) as file:
                for batch in file.iter_batches(rows, columns=columns, use_threads=False):
                    yield dict(zip(batch.schema.names, batch.columns, strict=True))
        except OSError as error:
            raise ValueError(f"{self.name} cannot be read: {brief(str(error))}") from None

    def _of_stream(self, columns: list[str], rows: int) -> Iterator[Mapping[str, Cells]]:
        with _reader(self._data) as reader:
            for batch in reader:
                for first in range(0, len(batch), rows):
                    part = batch.slice(first, rows)
                    yield {name: part.column(name) for name in columns}

    def _of_frame(self, columns: list[str], rows: int) -> Iterator[Mapping[str, Cells]]:
        frame = self._data.set_axis(self.names, axis=1)[columns]
        for first in range(0, len(frame), rows):
            part = frame.iloc[first : first + rows]
            yield {name: part[name] for name in columns}

    def _of_csv(self, columns: list[str], rows: int) -> Iterator[Mapping[str, Cells]]:
        import pandas

        # All columns are read: with ``usecols``, pandas cuts off rows that are too long.
        settings: Any = {"index_col": False, "chunksize": rows, "low_memory": False}
        if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
            settings["float_precision"] = "round_trip"  # else the last bit is often wrong
        try:
            with pandas.read_csv(self._data, **settings) as reader:
                for part in reader:
                    yield {name: part[name] for name in columns}
        except (ValueError, OSError, EOFError) as error:
            raise ValueError(f"{self.name} cannot be read as csv: {brief(str(error))}") from None


def numbers(cells: Cells) -> np.ndarray:
    """The numbers (m, ..) of a column, of lists (m, w) or of lists of lists (m, K, d).

    Raises
    ------
    BadCell
        For a cell that is missing, text, or a list of another length.
    """
    from pandas.api import types

    arrow = hasattr(cells, "null_count")
    if not arrow or cells.null_count:
        missing = np.asarray(cells.is_null() if arrow else cells.isna())
        if missing.any():
            raise BadCell(int(missing.argmax()), "is missing: fill it in, or leave the row out")
    if hasattr(cells, "value_lengths"):  # lists of Arrow
        return _reshaped(cells.flatten(), np.asarray(cells.value_lengths()))
    series = _series(cells)
    if types.is_numeric_dtype(series) and series.dtype.kind != "c":
        whole = types.is_integer_dtype(series) or types.is_bool_dtype(series)
        return series.to_numpy(np.int64 if whole else np.float64)
    given = list(series)
    if given and all(isinstance(cell, list | tuple | np.ndarray) for cell in given):
        try:
            found = np.array(given)
            if found.dtype.kind in "biuf":
                return found
        except ValueError:  # of several lengths
            pass
        inner = [one for cell in given for one in cell]
        return _reshaped(type(series)(inner), np.array([len(cell) for cell in given]))
    wrong = [place for place, cell in enumerate(given) if not _is_number(cell)]
    wrong += [place for place, cell in enumerate(given) if isinstance(cell, str)]
    if wrong:
        raise BadCell(
            wrong[0], f"is {_shown(given[wrong[0]])}, which is no number: convert the column to "
            "numbers, or leave the row out",
        )  # fmt: skip
    return np.array(given, np.float64)


def times(cells: Cells) -> np.ndarray:
    """Numbers, dates or times (m,) as numbers; those of times are nanoseconds.

    Raises
    ------
    BadCell
        For a cell that is missing or neither.
    """
    import pandas
    from pandas.api import types

    series = _series(cells)
    if types.is_numeric_dtype(series):
        return numbers(series)
    try:
        found = pandas.to_datetime(series, utc=True, errors="coerce", format="ISO8601")
    except (TypeError, ValueError):  # cells of several types
        found = pandas.Series([pandas.NaT] * len(series))
    missing = found.isna().to_numpy()
    if missing.any():
        place = int(missing.argmax())
        raise BadCell(
            place, f"is {_shown(series.iloc[place])}, which is no time: write 2026-01-31 23:59:59"
        )
    return found.astype("datetime64[ns, UTC]").astype("int64").to_numpy()


def texts(cells: Cells) -> np.ndarray:
    """Names (m,), as objects."""
    return _series(cells).astype(str).to_numpy(object)


def arrivals(cells: Cells) -> np.ndarray:
    """Rounds (m,), NaN where a cell is missing."""
    try:
        return _series(cells).to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise BadCell(0, "holds text: write rounds, and nothing where there was none") from None


def _series(cells: Cells) -> Any:
    return cells.to_pandas() if hasattr(cells, "null_count") else cells


def _reshaped(inner: Cells, lengths: np.ndarray) -> np.ndarray:
    """The numbers of lists, joined in ``inner``, as rows."""
    m, width = len(lengths), int(lengths[0])
    if (lengths != width).any():
        place = int((lengths != width).argmax())
        raise BadCell(
            place, f"has {lengths[place]} entries and the first row {width}: give all the same"
        )
    try:
        found = numbers(inner) if m * width else np.zeros(0)
    except BadCell as bad:
        raise BadCell(bad.place // width, f"has an entry that {bad.fault}") from None
    return found.reshape(m, width, *found.shape[1:])


def _is_number(cell: object) -> bool:
    try:
        float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _shown(cell: Any) -> str:
    return brief(cell.item() if isinstance(cell, np.generic) else cell)


def _metadata(found: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    found = found or {}
    plays = {"agents": json.loads(found[AGENTS])} if AGENTS in found else {}
    return json.loads(found.get(METADATA, b"{}")) | plays


def _header(path: Path) -> list[str]:
    rows = csv_rows(path)
    _, names = next(rows, (0, []))
    if not names:
        raise ValueError(f"{path.name} is empty: the first line of a csv file names its columns")
    next(rows, None)  # pandas would cut it off if it is longer
    return names


def _parquet(path: Path) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ValueError(f"{path.name}: Parquet {NEEDS_ARROW}") from None
    try:
        return ParquetFile(path, pre_buffer=False)  # or all of the file stays in memory
    except (ValueError, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as Parquet: {brief(str(error))}") from None


def _reader(table: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ValueError(f"{brief(table)}: a table of Arrow {NEEDS_ARROW}") from None
    if isinstance(table, pyarrow.RecordBatchReader):
        raise ValueError("a log is read more than once: give a table or a file, not a reader")
    return pyarrow.RecordBatchReader.from_stream(table)
