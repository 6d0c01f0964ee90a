"""Cholesky's factor and triangular solves: residuals within the theorems' bounds, pivots, zeros."""

import numpy as np
import pytest

from banditgym.linalg.definite import solve_transposed, solve_upper, upper_factor

UNIT = 2.0**-53  # of rounding
DIMS = [1, 2, 3, 5, 8, 63, 64, 65, 130, 300]


def exact_product(left, right):
    return left.astype(np.longdouble) @ right.astype(np.longdouble)


def matrices(dim):
    rng = np.random.default_rng(dim)
    x = rng.standard_normal((dim + 3, dim))
    yield x.T @ x
    points = rng.uniform(size=(dim, 2))  # a kernel's matrix with the least jitter of 5000 points
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    yield np.exp(-squares / 0.08) + 1.2e-8 * np.eye(dim)
    scale = 10.0 ** rng.uniform(-100, 100, dim)
    yield (x.T @ x) * scale * scale[:, None]


@pytest.mark.parametrize("dim", DIMS)
def test_the_factor_is_one(dim):
    """Higham, theorem 10.3: elements err by at most gamma_(d + 1) sqrt(a_rr a_cc) / (1 - ..)."""
    for matrix in matrices(dim):
        factor = matrix.copy()
        factor[np.tril_indices(dim, -1)] = np.nan  # not read
        assert upper_factor(factor) == -1
        assert (np.diag(factor) > 0).all()
        assert (np.tril(factor, -1) == 0).all()
        root = np.sqrt(np.diag(matrix))
        allowed = 1.01 * (dim + 1) * UNIT * np.outer(root, root)
        assert (np.abs(exact_product(factor.T, factor) - matrix) <= allowed).all()


@pytest.mark.parametrize("dim", [3, 70])
def test_it_stops_at_the_first_pivot_that_is_not_positive(dim):
    for value in (0.0, -1.0, np.nan):
        matrix = np.eye(dim)
        matrix[dim - 2, dim - 2] = value
        assert upper_factor(matrix) == dim - 2


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("width", [1, 5, 300])
def test_solutions_solve(dim, width):
    """Higham, theorem 8.5: the residual is at most gamma_d times the sizes of U and X."""
    rng = np.random.default_rng(width)
    for matrix in matrices(dim):
        factor = matrix.copy()
        assert upper_factor(factor) == -1
        factor[np.tril_indices(dim, -1)] = np.nan
        upper = np.triu(factor)
        right = np.sqrt(np.diag(matrix))[:, None] * rng.standard_normal((dim, width))
        for solve, of in ((solve_transposed, upper.T), (solve_upper, upper)):
            solution = right.copy()
            solve(factor, solution)
            allowed = 1.01 * (dim + 1) * UNIT * (np.abs(of) @ np.abs(solution))
            assert (np.abs(exact_product(of, solution) - right) <= allowed).all()
