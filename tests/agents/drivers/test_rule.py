"""Ties go to the lowest index, among all, those in a mask, and those after the largest."""

import numpy as np
import pytest

from agents.drivers.rule import first_largest, first_largest_within, second_largest


@pytest.mark.parametrize("score", [[1.0, 3.0, 3.0, 2.0], [-np.inf] * 3, [5.0]])
def test_the_first_of_the_largest_is_chosen(score):
    score = np.array(score)
    assert first_largest(score) == np.argmax(score)
    assert first_largest_within(score, np.ones(len(score), bool)) == np.argmax(score)


@pytest.mark.parametrize(
    ("score", "mask", "best"),
    [
        ([9.0, 1.0, 4.0, 4.0], [False, True, True, True], 2),
        ([9.0, -np.inf, -np.inf], [False, True, True], 1),
        ([0.0, np.inf, 0.0], [False, False, True], 2),
    ],
)
def test_what_is_not_in_the_mask_is_never_chosen(score, mask, best):
    assert first_largest_within(np.array(score), np.array(mask)) == best


@pytest.mark.parametrize(
    ("score", "best", "second"),
    [
        ([3.0], 0, 0),
        ([1.0, 3.0, 1.0], 1, 0),
        ([2.0, 2.0], 0, 1),
        ([-np.inf, 5.0, 1.0, 4.0], 1, 3),
        ([9.0, -np.inf, -np.inf], 0, 1),
    ],
)
def test_the_second_largest_is_of_the_others(score, best, second):
    assert second_largest(np.array(score), best) == second
