"""Matrices in their two forms."""

import numpy as np
import pytest

from banditgym.compiled import compiled
from banditgym.linalg.diagonal import slim, slim_product

FULL = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 4.0]])
DIAGONAL = np.diag([2.0, 3.0, 0.5])


@compiled
def multiplied(matrix, x, out):
    slim_product(matrix, x, out)


def test_diagonal_matrices_are_slim():
    np.testing.assert_array_equal(slim(DIAGONAL), [[2.0, 3.0, 0.5]])
    for matrix in (FULL, FULL.T):
        got = slim(matrix)
        np.testing.assert_array_equal(got, matrix)
        assert got.flags.c_contiguous
        assert got.flags.writeable
        assert not np.shares_memory(got, matrix)


@pytest.mark.parametrize("matrix", [FULL, DIAGONAL], ids=["full", "diagonal"])
def test_both_forms_multiply(matrix):
    """The numbers are small integers and halves: no sum is rounded."""
    x, out = np.array([1.0, -2.0, 4.0]), np.full(3, np.nan)
    multiplied(slim(matrix), x, out)
    np.testing.assert_array_equal(out, matrix @ x)
