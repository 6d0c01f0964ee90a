"""Bases in their two forms, and the points that come next."""

import numpy as np
import pytest

from agents.parts.basis_exploration import points_to_play, renewed, slim
from banditgym.action_sets import Ball

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
    exploited = points_to_play(np.array([3, 4, 5, 3]), slim(basis), best)
    np.testing.assert_array_equal(exploited, best)
    assert not exploited.flags.writeable
    assert best.flags.writeable


def test_stale_best_points_alone_are_renewed_in_an_array_of_its_own():
    best, theta = np.zeros((3, 2)), np.array([[3.0, 4.0], [1.0, 0.0], [0.0, -2.0]])
    some = renewed(best, theta, np.array([True, False, True]), Ball(2))
    np.testing.assert_allclose(some, [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]])
    every = renewed(best, theta, np.ones(3, bool), Ball(2))
    np.testing.assert_allclose(every, [[0.6, 0.8], [1.0, 0.0], [0.0, -1.0]])
    assert not best.any()
    assert every.flags.writeable
