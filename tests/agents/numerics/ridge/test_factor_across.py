"""Factors with the replicates side by side are those of one replicate after the other."""

import numpy as np
import pytest

from agents.numerics.ridge import factor_across
from agents.numerics.ridge.factor import initial, rotate
from agents.numerics.ridge.factor_across import (
    lanes_together,
    move_all,
    rotate_across,
    solve_across,
)
from agents.numerics.ridge.factor_contents import solve_upper


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 7, 8, 21])
@pytest.mark.parametrize("lanes", [1, 5, 16, 48])
@pytest.mark.parametrize("ridge", [0.3, 1e-5])
def test_rotations_and_solutions_have_the_bits_of_single_replicates(dim, lanes, ridge):
    """Rows of lengths from 1e-3 to 1e3, so that keep is above 1/2 in all lanes, or in some."""
    rng = np.random.default_rng(dim + lanes)
    one, other = initial(lanes, dim, ridge), initial(lanes, dim, ridge)
    rows, pivots = np.full((dim, dim + 1, lanes), np.nan), np.empty((2, dim, lanes))
    move_all(rows, pivots, one, 0, False)
    x, steps, scratch = np.empty((dim + 1, lanes)), np.empty((dim, lanes)), np.empty((2, lanes))
    for _ in range(30):
        shown = rng.standard_normal((lanes, dim + 1)) * 10.0 ** rng.integers(-3, 4, (lanes, 1))
        x[:] = shown.T
        rotate_across(rows, pivots, x, scratch[0], scratch[1], steps)
        solve_across(rows, steps)
        for lane in range(lanes):
            own, u = [part[lane] for part in other], np.empty(dim)
            left = rotate(*own, shown[lane, :dim].copy(), shown[lane, dim], 1.0, u)
            solve_upper(own[0], u)
            assert left == scratch[0, lane]
            np.testing.assert_array_equal(u, steps[:, lane])
    move_all(rows, pivots, one, 0, True)
    for part, expected in zip(one, other, strict=True):
        np.testing.assert_array_equal(part, expected)


def test_lanes_fill_registers_and_the_arms_fit_a_cache(monkeypatch):
    assert [lanes_together(n, 5, 10) for n in (1, 15, 16, 47, 64, 100)] == [0, 0, 16, 32, 64, 48]
    assert [lanes_together(100, 20, n_arms) for n_arms in (100, 200, 400)] == [32, 16, 0]
    monkeypatch.setattr(factor_across, "_NEAR_CACHE", 1 << 18)
    assert lanes_together(100, 20, 30) == 16
