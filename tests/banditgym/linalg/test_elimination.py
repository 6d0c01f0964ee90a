"""Solutions and inverses by elimination: residuals, pivots, what is singular."""

import numpy as np
import pytest

from banditgym.linalg.elimination import inverse, solve

EPS = 2.0**-52
DIMS = [1, 2, 3, 5, 31, 32, 33, 70, 150]


def matrices(dim):
    rng = np.random.default_rng(dim)
    x = rng.standard_normal((dim, dim))
    yield x
    yield x @ x.T + 1e-6 * np.eye(dim)
    yield np.eye(dim)[::-1].copy()  # every pivot lies in the last row
    yield np.where(np.eye(dim) > 0, 1e-20, 1.0 + 0.01 * x)
    yield 1e-200 * x
    yield 1e200 * x


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("width", [1, 7, 270])
def test_solutions_solve(dim, width):
    """The residual is at most 3 d eps |L| |U| |X| (Higham, theorem 9.4), |L| <= 1 and |U| the
    largest element times the growth, which stays below d at these."""
    for matrix in matrices(dim):
        right = np.random.default_rng(width).standard_normal((dim, width))
        given = matrix.copy(), right.copy()
        x = solve(matrix, right)
        largest = np.abs(matrix).max()
        residual = (matrix / largest).astype(np.longdouble) @ (x * largest) - right
        allowed = 3 * dim * EPS * dim * dim * np.abs(x * largest).sum(axis=0)
        assert (np.abs(residual) <= allowed).all()
        assert np.array_equal(given[0], matrix)
        assert np.array_equal(given[1], right)


@pytest.mark.parametrize("dim", DIMS)
def test_inverses_are_numpys(dim):
    """Condition numbers are below 1e5."""
    matrix = np.random.default_rng(dim).standard_normal((dim, dim)) + dim**0.5 * np.eye(dim)
    np.testing.assert_allclose(inverse(matrix), np.linalg.inv(matrix), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(inverse(np.diag(np.arange(1.0, dim + 1))).diagonal(),
                                  1 / np.arange(1.0, dim + 1))  # fmt: skip


@pytest.mark.parametrize("bad", [np.zeros((3, 3)), np.ones((40, 40)), np.full((2, 2), np.nan),
                                 np.array([[np.inf, 1.0], [1.0, 2.0]])])  # fmt: skip
def test_singular_matrices_have_no_inverse(bad):
    assert np.isnan(inverse(bad)).all()
