"""Rounds of change against their law, and the settings that are refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

from banditgym.envs.changes import Changes, read_changes
from banditgym.streams import ENVIRONMENT, Stream


def stream(n):
    return Stream(range(n), ENVIRONMENT, 4, 0)


def test_given_rounds_are_those_of_all_replicates():
    starts = Changes(2, 9, [3, 7]).starts(stream(4))
    np.testing.assert_array_equal(starts, [[0, 3, 7]] * 4)
    assert starts.dtype == np.int64


def test_drawn_rounds_are_a_uniform_set():
    starts = Changes(2, 5).starts(stream(5000))
    assert not starts[:, 0].any()
    drawn = [tuple(own) for own in starts[:, 1:].tolist()]
    counts = [drawn.count(pair) for pair in itertools.combinations(range(1, 6), 2)]
    assert sum(counts) == 5000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_a_replicates_rounds_do_not_depend_on_the_others():
    np.testing.assert_array_equal(
        Changes(3, 40).starts(stream(6))[2], Changes(3, 40).starts(stream(3))[2]
    )
    np.testing.assert_array_equal(Changes(0, 40).starts(stream(6)), np.zeros((6, 1)))


def test_the_default_is_one_fewer_than_the_rows():
    assert read_changes(None, 10, "rows", np.ones((3, 2)), False).number == 2
    assert read_changes(None, 10, "rows", None, False) == Changes(1, 9)
    assert read_changes(None, 10, "rows", None, True) == Changes(0, 9)
    assert read_changes(None, 1, "rows", None, False) == Changes(0, 0)
    assert read_changes(np.array([2, 5]), 10, "rows", None, False) == Changes(2, 9, [2, 5])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (-1, "changes, where not a sequence of rounds, must be an integer >= 0, got -1"),
        (10, "changes must be <= horizon - 1 = 9, got 10"),
        ([4, 4], r"changes must be increasing rounds, got \[4, 4\]"),
        ([4, 10], "changes must be rounds <= horizon - 1 = 9, got 10"),
        (1, "rows must have a row for each of 2 segments, got 3: one more than there are changes"),
    ],
)
def test_bad_rounds_are_refused_in_a_line(changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_changes(changes, 10, "rows", np.ones((3, 2)), False)
    assert "\n" not in str(caught.value)
