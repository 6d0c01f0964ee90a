"""Bases in their two forms, and the points that come next."""

import numpy as np
import pytest

from agents.parts.basis_exploration import points_to_play, slim

BASIS = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 4.0]])


def test_diagonal_matrices_are_slim():
    diagonal = np.diag([2.0, 3.0, 0.5])
    np.testing.assert_array_equal(slim(diagonal), [[2.0, 3.0, 0.5]])
    for matrix in (BASIS, BASIS.T):
        got = slim(matrix)
        np.testing.assert_array_equal(got, matrix)
        assert got.flags.c_contiguous
        assert got.flags.writeable
        assert not np.shares_memory(got, matrix)


@pytest.mark.parametrize("basis", [BASIS, np.diag([2.0, 3.0, 0.5])], ids=["full", "diagonal"])
def test_rows_of_the_basis_then_best_points(basis):
    best = np.arange(12.0).reshape(4, 3)
    points = points_to_play(np.array([2, 3, 0, 7]), slim(basis), best)
    np.testing.assert_array_equal(points, [basis[2], best[1], basis[0], best[3]])
    assert not np.shares_memory(points, best)
