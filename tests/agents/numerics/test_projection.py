"""Projected features against the matrix product."""

import numpy as np
import pytest

from agents.numerics.projection import project


@pytest.mark.parametrize("dim", [1, 3, 4, 6, 9])
@pytest.mark.parametrize(("size", "n_arms"), [(1, 1), (5, 3), (2, 8)])
def test_is_the_product(dim, size, n_arms):
    rng = np.random.default_rng(dim)
    rows, features = rng.standard_normal((3, size, dim)), rng.standard_normal((3, dim, n_arms))
    projected = np.full((3, size, n_arms), np.nan)
    project(rows, features, projected)
    np.testing.assert_allclose(projected, rows @ features, rtol=1e-13, atol=1e-13)
