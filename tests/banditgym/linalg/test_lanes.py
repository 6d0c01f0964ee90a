"""Parts for replicates side by side: where rows begin, and rotations by their definition."""

import numpy as np
import pytest

from banditgym.compiled import compiled
from banditgym.linalg.lanes import aligned, rotate_columns


@compiled
def rows_of(count, lanes):
    return aligned(count, lanes)


@compiled
def rotate(x, row, entry, keep, step, near):
    rotate_columns(x, row, entry, keep, step, near)


@pytest.mark.parametrize("lanes", [1, 7, 8, 48])
def test_rows_begin_on_a_cache_line(lanes):
    kept = [rows_of(3, lanes) for _ in range(20)]
    for rows in kept:
        assert rows.shape == (3, lanes)
        assert rows.flags.c_contiguous
        assert rows.ctypes.data % 64 == 0
        rows[:] = 1.0


@pytest.mark.parametrize("columns", [0, 1, 5])
@pytest.mark.parametrize("lanes", [1, 5, 16, 19])
@pytest.mark.parametrize("near", [True, False])
def test_a_rotation_is_that_of_each_entry(columns, lanes, near):
    """Where keep <= 1/2 the row is keep * row + step * x, else row + step * rest: other bits."""
    rng = np.random.default_rng(lanes)
    x, row = rng.standard_normal((2, columns, lanes))
    entry, step = rng.standard_normal((2, lanes))
    keep = rng.uniform(0.5 if near else 0.0, 1.0, lanes)
    keep[0] = 0.75 if near else 0.5
    rests, rows = x.copy(), row.copy()
    for c in range(columns):
        for lane in range(lanes):
            rests[c, lane] = x[c, lane] - entry[lane] * row[c, lane]
            if keep[lane] > 0.5:
                rows[c, lane] = row[c, lane] + step[lane] * rests[c, lane]
            else:
                rows[c, lane] = keep[lane] * row[c, lane] + step[lane] * x[c, lane]
    rotate(x, row, entry, keep, step, near)
    np.testing.assert_array_equal(x, rests)
    np.testing.assert_array_equal(row, rows)
