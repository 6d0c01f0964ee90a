"""What columns hold: the same cells in every container, and texts with one or two readings."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pyarrow
import pytest

from banditgym.data.columns import read_column

NAN = np.nan


def read(cells, dtype=object):
    return read_column("c", pandas.Series(cells, dtype=dtype))


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([Decimal("1.50"), None, Decimal("NaN"), Decimal(2)], [1.5, NAN, NAN, 2]),
        ([1, 2.5, True, None, np.float32(0.5), Fraction(1, 4)], [1, 2.5, 1, NAN, 0.5, 0.25]),
        ([True, None, False], [1, NAN, 0]),
        (["True", "false"], [1, 0]),
        ([1.5, "2", " 3e2 ", "-.5", "+4.", ""], [1.5, 2, 300, -0.5, 4, NAN]),
        (["0.1", "12.30"], [0.1, 12.3]),
        # Plain numbers are read as in code, even where points might separate thousands.
        (["1.234", "5.678"], [1.234, 5.678]),
        (["1.234", "1.234.567"], [1234, 1234567]),
        (["1,234", "1,234,567"], [1234, 1234567]),
        (["1,234", "1,234.5"], [1234, 1234.5]),
        (["1,234", "0,5"], [1.234, 0.5]),
        (["1,234", "0,500"], [1.234, 0.5]),
        (["1.234,5", "2"], [1234.5, 2]),
        (["1 234", "1\u202f234\u202f567"], [1234, 1234567]),
        (["1 234,5", "1'234,5"], [1234.5, 1234.5]),
        (["1,23,456", "12,34,567.5"], [123456, 1234567.5]),
        (["$5", "-$6.5", "$-7", "8"], [5, -6.5, -7, 8]),
        (["1.234,50 €", "-3 €"], [1234.5, -3]),
        (["5%", "12.5 %"], [5, 12.5]),
        (["\u22125", "6"], [-5, 6]),
        (["\u0661\u0662,\u0665 €", "6\u00a0€"], [12.5, 6]),
        ([10**400, 1], [np.inf, 1]),
    ],
)
def test_cells_that_are_all_numbers_are_numbers(cells, numbers):
    found = read(cells)
    assert (found.holds, found.warning) == ("numbers", "")
    assert found.cells.dtype == np.float64
    np.testing.assert_array_equal(found.cells, numbers)
    if all(isinstance(cell, str) for cell in cells):
        np.testing.assert_array_equal(read(cells, "string").cells, numbers)


def test_columns_of_numbers_are_not_touched():
    for column in (pandas.Series([1, 2]), pandas.Series([True]), pandas.Series([1], dtype="Int64")):
        assert read_column("c", column).cells is column


@pytest.mark.parametrize("more", ["123", "?", None])
def test_text_with_two_readings_is_neither(more):
    cells = ["1,234", "45,678"] * 10 + [more]
    found = read(cells)
    assert found.holds == "two readings"
    assert found.warning == (
        "the column 'c' is left out: its text has two readings, as '1,234' may be 1234 or 1.234; "
        "write its numbers with a decimal point and without separators of thousands, or read the "
        "file by pandas with thousands=',' or decimal=','"
    )


def test_one_in_ten_may_be_no_number_and_is_missing():
    cells = ["2.5"] * 18 + ["?", "n.a.", None]
    found = read(cells)
    assert found.holds == "numbers"
    np.testing.assert_array_equal(found.cells, [2.5] * 18 + [NAN] * 3)
    assert found.warning == (
        "the column 'c' is read as numbers: 2 of its 20 cells are no numbers, such as '?', and "
        "count as missing values"
    )
    assert read([*cells, "?"]).holds == "text"


@pytest.mark.parametrize(
    ("cells", "number", "other"),
    [
        (["1"] * 8 + ["?"] * 2, 8, "?"),
        (["5 kg", "7.5 kg"], 2, "5 kg"),
        (["$5", "€6"], 2, "€6"),
        (["5%", "6"], 2, "6"),
        (["1,234.5", "0,5"], 2, "0,5"),
    ],
)
def test_text_that_is_nearly_numbers_is_text_with_a_warning(cells, number, other):
    found = read(cells)
    assert found.holds == "text"
    assert found.warning == (
        f"the column 'c' is read as text, although {number} of its {len(cells)} cells are or begin "
        f"with a number: to use it as numbers, write numbers alone, unlike {other!r}, or leave "
        "cells empty"
    )


@pytest.mark.parametrize(
    "cells",
    [
        ["red", "blue", None],
        ["w1", "w2"],
        ["1.2.10", "1.2.3"],
        ["1.10.123", "1.11.124"],
        ["10-20", "20-30"],
        ["may", "june"],
        [[1], [2]],
        [None, None],
        ["", " "],
        [1 + 2j, "a"],
        pandas.Categorical(["1", "2"]),
        pandas.Categorical([1, 2]),
    ],
)
def test_the_rest_is_text(cells):
    column = pandas.Series(cells)
    found = read_column("c", column)
    assert (found.holds, found.warning) == ("text", "")
    assert found.cells is column


DAY, HOUR = datetime.date(2024, 1, 5), datetime.time(12, 30)


@pytest.mark.parametrize(
    "cells",
    [
        pandas.to_datetime(["2024-01-05", None]),
        pandas.to_datetime(["2024-01-05"]).tz_localize("UTC"),
        pandas.to_timedelta(["1 day", "2 days"]),
        pandas.period_range("2024-01", periods=3, freq="M"),
        pandas.Categorical(pandas.to_datetime(["2024-01-05", "2024-01-06"])),
        pandas.Series([DAY, None], dtype=object),
        pandas.Series([HOUR, datetime.timedelta(3)], dtype=object),
        pandas.Series([np.datetime64("2024-01-05"), pandas.Period("2024")], dtype=object),
        ["2024-01-05", "2023/1/5", None],
        ["05/01/2024", "5.1.2024", "1/5/24", "05.01.24"],
        ["2024-01-05 12:30:00", "2024-01-05T12:30:00.5Z", "2024-01-05 12:30:00+02:00"],
        ["12:30", "1:02:03.5", "12:30 PM", "5pm"],
        ["1 days", "-1 days +23:00:00", "36:00:00"],
        ["2024-01", "2024Q1", "2024-W05", "2024-01-01/2024-01-07"],
        ["Jan 5, 2024", "5 January 2024", "05-Jan-24", "March 2024"],
        ["Fri, 05 Jan 2024 10:00:00 GMT", "05/Jan/2024:13:55:36 +0000"],
        ["2024-01-05"] * 9 + ["unknown"],
    ],
)
def test_times_are_recognised_in_all_forms(cells):
    found = read_column("c", pandas.Series(cells))
    assert found.holds == "times"
    assert found.warning == "the column 'c' is left out: it holds times"


def test_what_csv_files_make_of_times_are_times(tmp_path):
    forms = {
        "moment": pandas.date_range("2024-01-05 07:00", periods=4, freq="h"),
        "zone": pandas.date_range("2024-01-05 07:00", periods=4, freq="h", tz="Europe/Berlin"),
        "length": pandas.to_timedelta([1, 90, 4000, 1e6], unit="s"),
        "month": pandas.period_range("2024-01", periods=4, freq="M"),
        "week": pandas.period_range("2024-01", periods=4, freq="W"),
        "quarter": pandas.period_range("2024-01", periods=4, freq="Q"),
        "day": [DAY] * 4,
        "hour": [HOUR] * 4,
    }
    pandas.DataFrame(forms).to_csv(tmp_path / "a.csv", index=False)
    for name, column in pandas.read_csv(tmp_path / "a.csv").items():
        assert read_column(str(name), column).holds == "times", name


def test_arrow_types_are_read_as_their_values():

    def arrow(cells, kind):
        array = pyarrow.array(cells, type=kind)
        return read_column("c", pandas.Series(pandas.arrays.ArrowExtensionArray(array)))

    decimals = arrow([Decimal("1.5"), None], pyarrow.decimal128(5, 2))
    assert decimals.holds == "numbers"
    np.testing.assert_array_equal(decimals.cells.astype(np.float64), [1.5, NAN])
    np.testing.assert_array_equal(arrow([True, None], pyarrow.bool_()).cells, [1, NAN])
    np.testing.assert_array_equal(arrow(["0,5", None], pyarrow.string()).cells, [0.5, NAN])
    for cells, kind in (
        ([DAY], pyarrow.date32()),
        ([HOUR], pyarrow.time64("us")),
        ([datetime.datetime(2024, 1, 5)], pyarrow.timestamp("us")),
        ([datetime.timedelta(3)], pyarrow.duration("us")),
    ):
        assert arrow(cells, kind).holds == "times"
