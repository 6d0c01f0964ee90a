"""Tables from files and frames, and one line for each that cannot be played."""

import numpy as np
import pandas
import pytest

from leaderboards.choosing.labelled_table import labelled_table

from .small_tables import separable


def test_a_csv_file_and_a_frame_are_one_table(tmp_path):
    frame = separable()
    for name in ("rows.csv", "rows.csv.gz", "rows.csv.bz2"):
        frame.to_csv(tmp_path / name, index=False)
        read, given = labelled_table(tmp_path / name, "label"), labelled_table(frame, "label")
        assert (read.name, given.name) == (name, "the frame")
        assert read.classes == given.classes == ("high", "low", "mid")
        assert read.kind == "class"
        np.testing.assert_array_equal(read.labels, given.labels)
        assert [read.classes[code] for code in read.labels] == list(frame["label"])
        # A missing string is read as NaN, and the frame has None.
        features = [each.features.fillna({"town": ""}) for each in (read, given)]
        pandas.testing.assert_frame_equal(*features, check_dtype=False)
        assert list(read.features) == ["x", "z", "town"]
        assert len(read) == 60


def test_parquet_is_read(tmp_path):
    frame = separable()
    frame.to_parquet(tmp_path / "rows.parquet")
    read = labelled_table(tmp_path / "rows.parquet", "label")
    np.testing.assert_array_equal(read.labels, labelled_table(frame, "label").labels)
    np.testing.assert_array_equal(read.features["x"], frame["x"])
    (tmp_path / "rows.parquet").write_bytes(b"no such thing")
    with pytest.raises(ValueError, match=r"rows\.parquet cannot be read as Parquet: .*"):
        labelled_table(tmp_path / "rows.parquet", "label")


def test_without_pyarrow_one_line_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")

    def missing(path):
        raise ImportError("Unable to find a usable engine;\ntried using: 'pyarrow'")

    monkeypatch.setattr(pandas, "read_parquet", missing)
    with pytest.raises(ValueError, match="pyarrow") as caught:
        labelled_table(tmp_path / "rows.parquet", "label")
    assert str(caught.value) == (
        "rows.parquet: Parquet needs pyarrow: pip install 'banditgym[parquet]'"
    )


@pytest.mark.parametrize(
    ("labels", "kind", "classes"),
    [
        (["a", "b"] * 15, "class", ("a", "b")),
        ([True, False] * 15, "class", ("False", "True")),
        ([10, 9, 2] * 10, "class", ("2", "9", "10")),  # in the order of numbers
        ([1.0, 2.0] * 15, "class", ("1.0", "2.0")),
        ([0.5, 2.0] * 15, "number", ()),
        (list(range(30)), "number", ()),
    ],
)
def test_the_target_is_classes_or_numbers(labels, kind, classes):
    table = labelled_table(pandas.DataFrame({"x": range(30), "y": labels}), "y")
    assert (table.kind, table.classes) == (kind, classes)
    if kind == "number":
        np.testing.assert_array_equal(table.labels, labels)


def test_the_kind_can_be_given():
    frame = pandas.DataFrame({"x": range(30), "y": [1, 2, 3] * 10})
    table = labelled_table(frame, "y", "number")
    assert (table.kind, table.classes, table.labels.dtype) == ("number", (), np.float64)
    frame["y"] = [0.5, 2.0] * 15
    assert labelled_table(frame, "y", "class").classes == ("0.5", "2.0")


LOG = {"action": [0, 1] * 15, "reward": [0.0, 1.0] * 15, "x": range(30)}


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (LOG, "action, reward"),
        ({**LOG, "Propensity": 0.5}, "action, reward, Propensity"),
        ({"arm": 1, "pscore": 0.1, "x": range(30)}, "arm, pscore"),
        ({"clicked": [0, 1] * 15, "action_prob": 0.1, "x": range(30)}, "clicked, action_prob"),
    ],
)
def test_the_log_of_a_bandit_is_refused(columns, named):
    with pytest.raises(ValueError, match="log") as caught:
        labelled_table(pandas.DataFrame(columns), "reward")
    assert str(caught.value) == (
        f"the frame looks like the log of a bandit (columns {named}): it has the reward of the "
        "played action alone, and choosing needs full labels, from which the reward of every "
        "action follows; if these columns are something else, rename them"
    )


def test_one_such_column_is_no_log():
    frame = pandas.DataFrame({"cost": range(30), "y": ["a", "b"] * 15})
    assert labelled_table(frame, "y").kind == "class"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 30, r"the target 'y' of the frame has one class only, 'a'"),
        ([f"id{i}" for i in range(30)], r"has as many classes as rows, 30: it names rows"),
        (["a", "b"] * 14 + ["c", "d"], r"has classes of one row, 'c', 'd': a class needs a row to"),
        ([None, *"ab" * 14, "a"], r"lacks 'y' in 1 of 30 rows, first in row 1: full labels are"),
        ([0.5, np.inf] * 15, r"the target 'y' of the frame must be finite, got inf in row 2"),
    ],
)
def test_labels_that_are_no_classes_are_one_line(labels, message):
    with pytest.raises(ValueError, match=message) as caught:
        labelled_table(pandas.DataFrame({"x": range(30), "y": labels}), "y")
    assert "\n" not in str(caught.value)


def test_wrong_arguments_are_one_line(tmp_path):
    frame = separable()
    (tmp_path / "rows.txt").write_text("x")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "long.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    for data, target, kind, message in (
        (tmp_path / "gone.csv", "y", None, "no such file"),
        (tmp_path / "rows.txt", "y", None, r"rows\.txt must end in \.csv"),
        (tmp_path / "empty.csv", "y", None, r"empty\.csv cannot be read as csv"),
        (tmp_path / "long.csv", "b", None, r"long\.csv, line 3: expected 2 fields, got 4"),
        (3, "y", None, "data must be a CSV or Parquet file or a DataFrame, got 3"),
        (frame, "labl", None, "the frame has no column 'labl'; did you mean label?"),
        (frame, "why", None, "has no column 'why'; there are x, z, town, label"),
        (frame[["label"]], "label", None, "only one column, and so no features"),
        (frame.head(19), "label", None, "19 rows, too few: half tune and half are for the report"),
        (frame, "label", "words", "read as class, number or predicted, got 'words'"),
        (frame, "label", "number", "has text, which is not a number"),
        (frame.set_axis(["x", "x", "town", "label"], axis=1), "label", None, "two columns named"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            labelled_table(data, target, kind)
        assert "\n" not in str(caught.value)
