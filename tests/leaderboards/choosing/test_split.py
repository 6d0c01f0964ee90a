"""Two parts of the rows, which share none."""

import numpy as np
import pytest

from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.choosing.split import Split, halves, repeated

from .small_tables import noise, separable


@pytest.mark.parametrize(("target", "labels"), [("label", 3), ("z", 0)])
def test_every_row_is_in_one_part_and_every_class_in_both(target, labels):
    table = labelled_table(separable(61), target)
    split = halves(table)
    both = np.concatenate([split.tuning, split.reporting])
    assert sorted(both) == list(range(61))
    assert abs(len(split.tuning) - len(split.reporting)) <= max(1, labels)
    assert list(split.tuning) != sorted(split.tuning)
    for label in range(labels):
        counts = [(table.labels[part] == label).sum() for part in (split.tuning, split.reporting)]
        assert 0 <= counts[0] - counts[1] <= 1
    again = halves(table)
    np.testing.assert_array_equal(split.tuning, again.tuning)


def test_a_class_of_two_rows_is_in_both_parts():
    frame = separable()
    frame.loc[[10, 50], "label"] = "rare"
    table = labelled_table(frame, "label")
    split = halves(table)
    assert len({10, 50} & set(split.tuning)) == len({10, 50} & set(split.reporting)) == 1


def test_parts_that_share_a_row_are_refused():
    with pytest.raises(ValueError, match="2 rows, first row 4, are in both parts: no setting is"):
        Split(np.array([8, 3, 5]), np.array([1, 5, 3]))


def test_equal_rows_on_both_sides_are_counted():
    frame = noise(24)
    table = labelled_table(frame, "label")
    assert repeated(table, halves(table)) == 0
    frame.loc[12:] = frame.loc[:11].to_numpy()
    frame["x"] = frame["x"].astype(float).where(frame["x"] > 0)  # gaps are equal to one another
    table = labelled_table(frame, "label")
    rows = np.arange(24)
    assert repeated(table, Split(rows[:12], rows[12:])) == 12
    assert repeated(table, Split(rows[:6], rows[12:18])) == 6
