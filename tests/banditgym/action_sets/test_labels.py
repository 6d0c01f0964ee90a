"""Rankings are arrays of distinct labels; anything else is refused in one line."""

import numpy as np
import pytest

from banditgym.action_sets import DistinctLabels


def test_rankings_are_read_from_any_integers():
    for given in ([[0, 4], [3, 1]], np.array([[0, 4], [3, 1]], np.uint8), ((0, 4), (3, 1))):
        read = DistinctLabels(5, 2).read(given, 2)
        assert (read.dtype, read.flags.c_contiguous) == (np.int64, True)
        assert read.tolist() == [[0, 4], [3, 1]]
    own = np.array([[0, 4], [3, 1]])
    assert DistinctLabels(5, 2).read(own, 2) is own
    strided = np.arange(8).reshape(2, 4)[:, ::2]
    assert DistinctLabels(8, 2).read(strided, 2).tolist() == [[0, 2], [4, 6]]
    assert DistinctLabels(3, 3).read([[2, 0, 1]], 1).tolist() == [[2, 0, 1]]


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ([[0, 1], [2, 2]], r"ranking \[2, 2\] of replicate 1 is not of distinct labels in 0\.\.4"),
        ([[0, 5], [2, 2]], r"ranking \[0, 5\] of replicate 0 is not"),
        ([[0, 1], [-1, 2]], r"ranking \[-1, 2\] of replicate 1 is not"),
        (
            [[0, 1]],
            r"expected 2 rankings, each of 2 distinct integers in 0\.\.4, got \[\[0, 1\]\] of",
        ),
        ([[0, 1], [2]], "expected 2 rankings"),
        ([[0, 1, 2], [0, 1, 2]], "expected 2 rankings"),
        ([[0.0, 1.0], [2.0, 3.0]], "expected 2 rankings"),
        ([[True, False], [True, False]], "expected 2 rankings"),
        ([[[0, 1]], [[0, 1]]], "expected 2 rankings"),
        (None, "expected 2 rankings"),
        ([[2**63, 0], [0, 1]], "ranking|expected 2 rankings"),
    ],
)
def test_what_is_no_ranking_is_refused_in_a_line(rankings, message):
    with pytest.raises(ValueError, match=message) as e:
        DistinctLabels(5, 2).read(rankings, 2)
    assert "\n" not in str(e.value)


def test_slots_are_checked():
    for slots in (0, 6, 2.0, True):
        with pytest.raises(ValueError, match="slots must be"):
            DistinctLabels(5, slots)
    with pytest.raises(ValueError, match="n_labels must be an integer >= 1"):
        DistinctLabels(0, 1)
