"""Arrays that cannot be written to, and rows that a caller may keep."""

import numpy as np
import pytest

from banditgym.rounds.read_only import own_row, read_only


def test_an_array_itself_becomes_read_only_and_what_a_view_shows_does_not():
    array = np.zeros(3)
    assert read_only(array[:2]).flags.writeable is False
    array[0] = 1.0
    assert read_only(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2.0


def test_a_row_is_handed_out_or_copied_in_its_own_layout():
    rows = np.arange(24.0).reshape(2, 3, 4).swapaxes(1, 2)
    row = own_row(rows, 1)
    assert np.shares_memory(row, rows)
    fixed = read_only(rows[:1])
    for shared, s in ((read_only(rows[:]), 1), (fixed, 0), (fixed, 5)):
        copied = own_row(shared, s)
        np.testing.assert_array_equal(copied, shared[min(s, len(shared) - 1)])
        assert copied.flags.writeable
        assert copied.T.flags.c_contiguous
        assert not np.shares_memory(copied, shared)
