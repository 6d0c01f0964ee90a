"""Regression data: what files, arrays and the bundled set give, and what is refused."""

import bz2
import gzip

import numpy as np
import pytest
from sklearn import datasets

from banditgym.data.regression_data import (
    BUNDLED,
    load_csv,
    load_svmlight,
    read_regression,
    to_unit_cube,
)

ROWS = np.array([[1.0, -2.5], [0.0, 1e-3], [3e10, 4.0]])
TARGET = np.array([0.5, -7.0, 0.5])
TABLE = "1,-2.5,0.5\n0, 1e-3 ,-7\n\n3e10,4.0,.5\n"


def write(path, text):
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif path.suffix == ".bz2":
        path.write_bytes(bz2.compress(text.encode()))
    else:
        path.write_bytes(text.encode())
    return path


def expect(found, rows=ROWS, target=TARGET):
    for one, other in zip(found, (rows, target), strict=True):
        assert one.dtype == np.float64
        assert one.flags.c_contiguous
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.bz2"])
@pytest.mark.parametrize(
    "head",
    ["", "\ufeff", "x,y,target\n", '"x, the first","y",target\n', "\ufeffx,y,z\n", "\n\nx,y,z\n"],
)
def test_csv_files_with_and_without_names(name, head, tmp_path):
    path = write(tmp_path / name, head + TABLE)
    for given in (path, str(path)):
        expect(read_regression(given))


def test_names_may_have_line_breaks(tmp_path):
    expect(load_csv(write(tmp_path / "a.csv", '"x\n(cm)",y,z\n' + TABLE), "z"))
    with pytest.raises(ValueError, match="line 3: expected 2 fields, got 3"):
        load_csv(write(tmp_path / "a.csv", '"x\n(cm)",y\n1,2,\n'))


def test_windows_line_ends_and_none_at_the_end(tmp_path):
    expect(load_csv(write(tmp_path / "a.csv", TABLE.strip().replace("\n", "\r\n"))))


@pytest.mark.parametrize(
    ("target", "column"), [(-1, 2), (2, 2), (0, 0), (1, 1), ("y", 1), ("x", 0)]
)
def test_the_target_may_be_any_column(target, column, tmp_path):
    table = np.column_stack([ROWS, TARGET])
    found = load_csv(write(tmp_path / "a.csv", "x,y,z\n" + TABLE), target)
    expect(found, np.delete(table, column, axis=1), table[:, column])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no rows"),
        ("\n\n", "the file has no rows"),
        ("x,y\n", "the file has no rows"),
        ("1\n2\n", "has only one column, and so no features"),
        ("1,2\n1,2,3\n", "line 2: expected 2 fields, got 3"),
        ("x,y\n1,2\n\n1\n", "line 4: expected 2 fields, got 1"),
        ("x,y\n1,2,3\n", "line 2: expected 2 fields, got 3"),
        ("1,2\n1,M\n", "line 2: field 2 must be a finite number, got 'M'"),
        ("x,y\nM,1\n", "line 2: field 1 must be a finite number, got 'M'"),
        ("1,2\n1,\n", "line 2: field 2 must be a finite number, got ''"),
        ("1,2\nnan,1\n", "line 2: field 1 must be a finite number, got 'nan'"),
        ("1,2\n1,1e999\n", "line 2: field 2 must be a finite number, got '1e999'"),
        ("1,?\n1,2\n", "line 1: field 2 must be a finite number, got '.'"),
        ("1,2\n1," + 140_000 * "9", "line 2: is no line of csv: field larger than field limit"),
        ("1,2\r3,4\n5,6\n", "line 1: is no line of csv: a carriage return within the line"),
        ("1;2\n3;4\n", "line 2: field 1 must be a finite number, got '3;4'"),
    ],
)
def test_bad_csv_files_are_refused_with_the_line(text, message, tmp_path):
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(ValueError, match=message) as caught:
        read_regression(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_features_beyond_memory_are_refused(tmp_path):
    path = write(tmp_path / "a.svm", "1 0:1.5\n-1 2147483646:2\n" * 500)
    with pytest.raises(ValueError, match="1000 rows of 2147483647 features would take about"):
        read_regression(path)


def test_files_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"1,2\n\xff\xfe,3\n")
    with pytest.raises(ValueError, match="line 2: is no text in UTF-8"):
        load_csv(path)
    path.with_suffix(".csv.gz").write_bytes(b"1,2\n")
    with pytest.raises(ValueError, match="cannot be read"):
        read_regression(path.with_suffix(".csv.gz"))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (3, r"target must be a column of 0\.\.2, got 3"),
        (-4, r"target must be a column of 0\.\.2, got -4"),
        ("tarjet", "has no column 'tarjet'; did you mean target?"),
        ("x", "has two columns named 'x'"),
    ],
)
def test_columns_that_are_not_there_are_refused(target, message, tmp_path):
    path = write(tmp_path / "a.csv", f"x,{'x' if target == 'x' else 'y'},target\n" + TABLE)
    with pytest.raises(ValueError, match=message):
        load_csv(path, target)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["a.svm", "a.libsvm.gz", "abalone_scale", "a.txt.bz2"])
def test_svmlight_files(first, name, tmp_path):
    lines = [
        f"0.5 {first}:1 {first + 1}:-2.5 # a comment",
        f"-7 qid:3 {first + 1}:1e-3",
        "",
        f".5 {first}:3e10 {first + 1}:4",
    ]
    expect(read_regression(write(tmp_path / name, "\n".join(lines) + "\n")))


def test_svmlight_targets_may_all_differ_or_all_be_the_same(tmp_path):
    for targets in (np.arange(70_000) / 7.0, np.full(3, 2.5)):
        text = "".join(f"{y!r} 1:{j % 5}\n" for j, y in enumerate(targets.tolist()))
        rows, found = load_svmlight(write(tmp_path / "a.svm", text))
        np.testing.assert_array_equal(found, targets)
        np.testing.assert_array_equal(rows[:, 0], np.arange(len(targets)) % 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no rows"),
        ("# nothing\n", "the file has no rows"),
        ("1\n2\n", "no row has an entry"),
        ("1 1:2\n2 1:x\n", "line 2"),
        ("1 1:2\nnan 1:1\n", "line 2: the label must be a finite number"),
        ("1 1:2\n2 2:1 1:1\n", "line 2: indices must increase"),
    ],
)
def test_bad_svmlight_files_are_refused(text, message, tmp_path):
    path = write(tmp_path / "a.svm", text)
    with pytest.raises(ValueError, match=message) as caught:
        read_regression(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arrays_are_copied():
    rows, target = ROWS.copy(), TARGET.copy()
    found = read_regression((rows, target))
    rows[:], target[:] = 0.0, 0.0
    expect(found)
    expect(read_regression([ROWS.tolist(), TARGET.tolist()]))


def test_the_bundled_set_is_scikit_learns():
    assert BUNDLED == ("diabetes",)
    rows, numbers = datasets.load_diabetes(return_X_y=True, scaled=False)
    # As the decimals are read: releases differ in how they stored some of them.
    expect(read_regression("diabetes"), [[float(f"{x:.4f}") for x in row] for row in rows], numbers)
    scaled = datasets.load_diabetes(return_X_y=True)[0]
    cube = to_unit_cube(read_regression("diabetes")[0])
    np.testing.assert_allclose(cube, to_unit_cube(scaled), rtol=0, atol=1e-14)
    assert read_regression("diabetes")[0].shape == (442, 10)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, r"data must be diabetes, the path of a file or a pair .* or \(table, target\), got 3"),
        ((ROWS,), "data must be diabetes, the path of a file or a pair"),
        (ROWS, "data must be diabetes, the path of a file or a pair"),
        ((ROWS, TARGET, TARGET), "data must be diabetes, the path of a file or a pair"),
        ((ROWS, TARGET[:2]), r"the y of data must be of shape \(3,\), as X has rows, got \(2,\)"),
        ((ROWS, TARGET[:, None]), r"the y of data must be of shape \(3,\)"),
        ((ROWS[0], TARGET), r"the X of data must be of shape \(N, d\)"),
        ((ROWS * np.nan, TARGET), "the X of data must be finite"),
        ((ROWS, TARGET * np.inf), "the y of data must be finite"),
        ((ROWS, ["a", "b", "c"]), "the y of data must be an array of real numbers"),
    ],
)
def test_what_is_no_data_is_refused(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_regression(data)
    assert "\n" not in str(caught.value)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file, nor one of diabetes: .*none.csv"):
        read_regression(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match="diabtes; did you mean diabetes?"):
        read_regression("diabtes")
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_regression(tmp_path)  # a folder


def test_columns_are_scaled_to_the_unit_cube():
    rows = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 1e-9, 1e9, 0.0] + 5.0
    kept = rows.copy()
    scaled = to_unit_cube(rows)
    np.testing.assert_array_equal(rows, kept)
    low, high = rows[:, :3].min(axis=0), rows[:, :3].max(axis=0)
    np.testing.assert_allclose(scaled[:, :3], (rows[:, :3] - low) / (high - low), atol=1e-14)
    np.testing.assert_array_equal(scaled[:, 3], 0.0)
    np.testing.assert_array_equal(scaled[:, :3].min(axis=0), 0.0)
    np.testing.assert_array_equal(scaled[:, :3].max(axis=0), 1.0)
    assert scaled.flags.c_contiguous


def test_the_largest_and_least_numbers_are_scaled_too():
    most, least = np.finfo(float).max, 5e-324
    wide = to_unit_cube(np.array([[-most, 0.0], [most, least], [0.0, 0.0]]))
    np.testing.assert_array_equal(wide[:, 0], [0.0, 1.0, 0.5])
    assert ((wide >= 0) & (wide <= 1)).all()
    np.testing.assert_array_equal(to_unit_cube(np.array([[3.0, 4.0]])), [[0.0, 0.0]])
