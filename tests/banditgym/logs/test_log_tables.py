"""Tables as chunks of columns, and cells as numbers."""

import datetime
import sys

import numpy as np
import pandas
import pyarrow
import pytest

from banditgym.logs.log_tables import BadCell, LogTable, arrivals, numbers, texts, times

HOUR = 3_600_000_000_000  # nanoseconds


def both(cells):
    """Cells as a Series and as an array of Arrow."""
    return [pandas.Series(cells), pyarrow.array(cells)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, 2], [1, 2]),
        ([True, False], [1, 0]),
        ([0.5, 2.0], [0.5, 2.0]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([[[1.0, 2.0]], [[3.0, 4.0]]], [[[1, 2]], [[3, 4]]]),
        ([np.array([1.0, 2.0]), np.array([3.0, 4.0])], [[1, 2], [3, 4]]),
    ],
)
def test_cells_are_numbers(cells, expected):
    for given in both(cells):
        np.testing.assert_array_equal(numbers(given), expected)


def test_integers_stay_exact():
    for given in [*both([2**60 + 1, 3]), pandas.Series([2**60 + 1, 3], dtype="Int64")]:
        assert numbers(given).tolist() == [2**60 + 1, 3]


@pytest.mark.parametrize(
    ("cells", "place", "message"),
    [
        ([1.0, None], 1, "is missing: fill it in, or leave the row out"),
        (
            ["a", "b"],
            0,
            "is 'a', which is no number: convert the column to numbers, or leave the row",
        ),
        (["1", "b"], 1, "is 'b', which is no number"),
        (["1", "2"], 0, "is '1', which is no number: convert the column to numbers"),
        ([[1.0, 2.0], [3.0]], 1, "has 1 entries and the first row 2: give all the same"),
        ([[1.0, 2.0], [3.0, None]], 1, "has an entry that is missing"),
        ([[1.0], None], 1, "is missing"),
        ([["a"], ["b"]], 0, "has an entry that is 'a', which is no number"),
        ([datetime.datetime(2024, 1, 5)] * 2, 0, "which is no number"),
    ],
)
def test_bad_cells_are_found(cells, place, message):
    for given in both(cells):
        with pytest.raises(BadCell) as caught:
            numbers(given)
        assert caught.value.place == place
        assert message in caught.value.fault


def test_mixed_types_are_found():
    with pytest.raises(BadCell, match="is 'x', which is no number") as caught:
        numbers(pandas.Series([1, "x", 2.0], dtype=object))
    assert caught.value.place == 1
    np.testing.assert_array_equal(numbers(pandas.Series([1, 2.5], dtype=object)), [1, 2.5])


def test_times_are_nanoseconds_and_numbers_stay():
    moments = [datetime.datetime(1970, 1, 1, 1), datetime.datetime(1970, 1, 1, 2)]
    for given in both(moments):
        assert times(given).tolist() == [HOUR, 2 * HOUR]
    for given in both(["1970-01-01 01:00:00+00:00", "1970-01-01 02:00:00.000000001+00:00"]):
        assert times(given).tolist() == [HOUR, 2 * HOUR + 1]
    for given in both([1.5, 2.5]):
        assert times(given).tolist() == [1.5, 2.5]
    for given in both(["1970-01-01", "tomorrow"]):
        with pytest.raises(BadCell, match="is 'tomorrow', which is no time: write 2026") as caught:
            times(given)
        assert caught.value.place == 1


def test_names_and_arrivals():
    for given in both(["a", "b"]):
        assert texts(given).tolist() == ["a", "b"]
    for given in both([1, None]):
        np.testing.assert_array_equal(arrivals(given), [1, np.nan])
    for given in both(["a", None]):
        with pytest.raises(BadCell, match="holds text: write rounds"):
            arrivals(given)


def test_chunks_of_a_file_a_frame_and_a_table(tmp_path):
    frame = pandas.DataFrame({"a": range(10), "b": range(10)})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_csv(tmp_path / "x.csv.gz", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    table = pyarrow.Table.from_pandas(frame)
    sources = [tmp_path / "x.csv", str(tmp_path / "x.csv.gz"), tmp_path / "x.parquet", frame, table]
    names = ["x.csv", "x.csv.gz", "x.parquet", "the frame", "the table"]
    for source, name in zip(sources, names, strict=True):
        read = LogTable(source)
        assert (read.name, read.names, read.metadata) == (name, ["a", "b"], {})
        for _ in range(2):  # it can be read again
            parts = [numbers(chunk["b"]).tolist() for chunk in read.chunks(["b", "b"], 4)]
            assert parts == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_a_stream_that_is_no_table_of_pyarrow():

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table({"a": [1, 2]}).__arrow_c_stream__(requested_schema)

    assert [numbers(chunk["a"]).tolist() for chunk in LogTable(Stream()).chunks(["a"], 9)] == [
        [1, 2]
    ]
    reader = pyarrow.table({"a": [1, 2]}).to_reader()
    with pytest.raises(ValueError, match="read more than once: give a table or a file, not a rea"):
        LogTable(reader)


def test_files_that_cannot_be_read(tmp_path):
    def refused(data, message):
        with pytest.raises(ValueError, match=message) as caught:
            list(LogTable(data).chunks(["a"], 2))
        assert "\n" not in str(caught.value)

    def written(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    refused(tmp_path / "none.csv", "no such file: ")
    refused(written("x.txt", "a"), "x.txt must end in .csv, .csv.gz, .csv.bz2, .parquet")
    refused(written("empty.csv", ""), "empty.csv is empty: the first line of a csv file names its")
    refused(written("twice.csv", "a,a\n1,2\n"), "twice.csv has two columns named 'a'")
    refused(written("long.csv", "a,b\n1,2,3\n"), "long.csv, line 2: expected 2 fields, got 3")
    refused(written("later.csv", "a,b\n1,2\n1,2,3\n"), "later.csv cannot be read as csv: .*line 3")
    refused(written("no.csv.gz", "a,b\n"), "no.csv.gz, after line 0: cannot be read")
    refused(
        3, "a log is a CSV or Parquet file, a DataFrame or a table with Arrow's stream .* got 3"
    )
    refused(written("no.parquet", "a,b\n1,2\n"), "no.parquet cannot be read as Parquet: ")


def test_without_pyarrow_one_line_says_what_to_install(tmp_path, monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="x.parquet: Parquet needs pyarrow: pip install 'banditgy"):
        LogTable(tmp_path / "x.parquet")

    class Stream:
        __arrow_c_stream__ = None

    with pytest.raises(ValueError, match="a table of Arrow needs pyarrow: pip install 'banditgym"):
        LogTable(Stream())
    frame = pandas.DataFrame({"a": [1, 2]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    for data in (frame, tmp_path / "x.csv"):
        assert [numbers(chunk["a"]).tolist() for chunk in LogTable(data).chunks(["a"], 9)] == [
            [1, 2]
        ]
