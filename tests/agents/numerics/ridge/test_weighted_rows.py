"""Weighted sums of rows against numpy's."""

import numpy as np
import pytest

from agents.numerics.ridge.weighted_rows import sum_rows


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_sum_rows_overwrites_with_the_weighted_rows(count):
    rng = np.random.default_rng(count)
    rows, weights, out = rng.standard_normal((12, 30)), rng.standard_normal(9), np.full(30, np.nan)
    chosen = rng.permutation(12)[:9]
    sum_rows(rows, chosen, weights, count, out)
    expected = weights[:count] @ rows[chosen[:count]]
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)
