"""Weighted sums of rows against numpy's."""

import numpy as np
import pytest

from agents.numerics.ridge.weighted_rows import combine, sum_rows


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17, 40])
@pytest.mark.parametrize("length", [1, 511, 512, 513, 1500])
def test_combine_adds_the_weighted_rows(count, length):
    """A sum of 40 terms errs by 40 eps of the terms' sizes; what lies beyond is not touched."""
    rng = np.random.default_rng(count)
    rows, out = rng.standard_normal((60, 1600)), rng.standard_normal(1600)
    chosen, weights = rng.permutation(60)[:40], rng.standard_normal(40)
    expected = out.copy()
    expected[:length] += weights[:count] @ rows[chosen[:count], :length]
    combine(rows, chosen, weights, count, out[:length])
    np.testing.assert_allclose(out, expected, rtol=0, atol=42 * 2.2e-16 * 40 * 4)
    np.testing.assert_array_equal(out[length:], expected[length:])


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_sum_rows_overwrites_with_the_weighted_rows(count):
    rng = np.random.default_rng(count)
    rows, weights, out = rng.standard_normal((12, 30)), rng.standard_normal(9), np.full(30, np.nan)
    chosen = rng.permutation(12)[:9]
    sum_rows(rows, chosen, weights, count, out)
    expected = weights[:count] @ rows[chosen[:count]]
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)
