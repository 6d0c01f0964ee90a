"""Rows of csv files with their lines, and rows that do not fit."""

import bz2
import gzip

import pytest

from banditgym.data.csv_rows import csv_rows

TEXT = 'a,b\n\n1,"two\nlines"\r\n  \n3, "4"\n5\n'
ROWS = [(1, ["a", "b"]), (3, ["1", "two\nlines"]), (6, ["3", ' "4"']), (7, ["5"])]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.bz2"])
def test_rows_begin_on_their_lines(name, tmp_path):
    pack = {"gz": gzip.compress, "bz2": bz2.compress}.get(name.split(".")[-1], bytes)
    (tmp_path / name).write_bytes(pack(("\ufeff" + TEXT).encode()))
    assert list(csv_rows(tmp_path / name)) == ROWS


def test_rows_of_numbers_may_have_blanks_and_comments(tmp_path):
    (tmp_path / "a.csv").write_text('# x\n1, "2"\n3,4')
    rows = csv_rows(tmp_path / "a.csv", numbers=True, comments="#")
    assert list(rows) == [(2, ["1", "2"]), (3, ["3", "4"])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2,\n3,4,\n", "line 2: expected 2 fields, got 3"),
        ('a,b\n1,"\n\n"\n\n"\n",2,3\n', "line 6: expected 2 fields, got 3"),
        ("a,b\n1,2\n3,4,5,6", "line 3: expected 2 fields, got 4"),
        ("a,b\n1\r2\n", "line 2: is no line of csv: a carriage return within the line"),
        (b"a,b\n1,\xff\n", "line 2: is no text in UTF-8"),
    ],
)
def test_rows_that_do_not_fit_are_refused_with_the_line(text, message, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message) as caught:
        list(csv_rows(path))
    assert str(caught.value).startswith(f"{path}, line")


def test_only_rows_of_numbers_are_refused_if_short(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3\n")
    assert len(list(csv_rows(tmp_path / "a.csv"))) == 2
    with pytest.raises(ValueError, match="line 2: expected 2 fields, got 1"):
        list(csv_rows(tmp_path / "a.csv", numbers=True))
