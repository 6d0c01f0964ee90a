"""Rows in the order of an episode, with zeros after the last one."""

import numpy as np
import pytest

from banditgym.rounds.given_rows import GivenRows
from banditgym.streams import ENVIRONMENT, Stream

ROWS, NUMBERS = np.arange(10.0).reshape(5, 2), np.arange(5.0) + 10


@pytest.mark.parametrize("horizon", [3, 5])
@pytest.mark.parametrize("shuffled", [False, True])
def test_each_row_comes_with_its_number_and_once(horizon, shuffled):
    given = GivenRows(ROWS, NUMBERS, 4, horizon, shuffled)
    given.begin(Stream([7, 8, 9, 10], ENVIRONMENT, 0, 0).keys)
    rows, numbers = given.of_rounds(0, horizon + 1)
    assert rows.shape == (horizon + 1, 2, 4)
    for i in range(4):
        shown = numbers[:horizon, i] - 10
        assert len(set(shown)) == horizon
        np.testing.assert_array_equal(rows[:horizon, :, i], ROWS[shown.astype(int)])
        if horizon == 5:
            assert not rows[5].any()
        if not shuffled:
            assert shown.tolist() == list(range(horizon))
    later, _ = given.of_rounds(2, 1)
    np.testing.assert_array_equal(later[0], rows[2])
