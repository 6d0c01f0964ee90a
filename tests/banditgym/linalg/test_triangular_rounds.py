"""Many rounds of least squares, bit for bit those of ``triangular`` one after the other."""

import numpy as np
import pytest

from banditgym.linalg import triangular as kernels
from banditgym.linalg.triangular_rounds import absorb_rows


def across(rows):
    """Rows (m, n, d, 1) as ``absorb_rows`` takes them, (m, d, n)."""
    x = np.ascontiguousarray(rows[..., 0].transpose(0, 2, 1))
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 57, 100, 129, 300])
@pytest.mark.parametrize("dim", [1, 3, 10])
def test_many_rounds_are_bit_for_bit_each_round(n, dim):
    """With a ridge, and without one once the rows of every replicate span the space."""
    rng, rounds = np.random.default_rng(n + dim), 12
    yes, unit = np.ones(n, bool), 0.25
    x, y = rng.standard_normal((rounds, n, dim, 1)), rng.standard_normal((rounds, n))
    x[rng.random(x.shape) < 0.2] = 0.0
    for array in (x, y):
        array.flags.writeable = False
    for ridge, tolerance in ((0.3, 0.0), (0.0, 1e-10)):
        factor = kernels.initial_factor(n, dim, ridge)
        assert kernels.all_span(factor, dim, n) == (ridge > 0)
        if not ridge:
            for t in range(dim):
                assert not kernels.all_span(factor, dim, n), t
                row, outcome = rng.standard_normal((n, dim, 1)), rng.standard_normal(n)
                row.flags.writeable = False
                kernels.absorb_row(factor, row, outcome, yes, tolerance, np.empty(n))
            assert kernels.all_span(factor, dim, n)
        once, alone = factor.copy(), factor.copy()
        mean, leverage, residual, only = np.full((4, rounds, n), np.nan)
        found = absorb_rows(once, across(x), unit, y, mean, leverage, residual)
        assert found == absorb_rows(alone, across(x), unit, y, None, None, only) == -1
        np.testing.assert_array_equal(only, residual)
        np.testing.assert_array_equal(alone, once)
        for t in range(rounds):
            row = unit * x[t]
            row.flags.writeable = False
            m, w, r = np.empty((n, 1)), np.empty((n, 1)), np.empty(n)
            kernels.predict_row(factor, row, tolerance, m, w)
            kernels.absorb_row(factor, row, y[t].copy(), yes, tolerance, r)
            np.testing.assert_array_equal(mean[t], m[:, 0])
            np.testing.assert_array_equal(leverage[t], w[:, 0])
            np.testing.assert_array_equal(residual[t], r)
        triangle = slice(None) if ridge else slice(factor.shape[1] - dim)  # else with thresholds
        np.testing.assert_array_equal(once[:, triangle], factor[:, triangle])


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200, -2e140])
def test_a_bad_row_of_many_rounds_is_that_of_its_round(value):
    rng, n, dim = np.random.default_rng(0), 200, 3
    factor = kernels.initial_factor(n, dim, 1.0)
    x, y, out = rng.standard_normal((5, n, dim, 1)), np.zeros((5, n)), np.full((5, n), 7.0)
    x[2, 150, 1], x[3, 9, 0] = value, np.nan
    x[4, 20, 1] = 9e139  # nearly too long, which is none
    x.flags.writeable = y.flags.writeable = False
    before = factor.copy()
    bad = -2 - 150 if np.isfinite(value) else 150
    assert absorb_rows(factor, across(x), 1.0, y, out, out, None) == bad
    np.testing.assert_array_equal(factor, before)
    np.testing.assert_array_equal(out, 7.0)
    assert absorb_rows(factor, across(x[4:]), 1.0, y[4:], out[4:], out[4:], None) == -1
