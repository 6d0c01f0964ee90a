"""Eigensystems: residuals, orthonormality, order and signs; values against LAPACK's."""

import numpy as np
import pytest

from banditgym.linalg.symmetric import eigensystem

EPS = 2.0**-52
DIMS = [1, 2, 3, 4, 5, 8, 21, 64, 150]


def matrices(dim):
    rng = np.random.default_rng(dim)
    x = rng.standard_normal((dim, dim))
    yield x + x.T
    yield x @ x.T
    points = rng.uniform(size=(dim, 2))
    yield np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / 8)  # most eigenvalues rounding
    yield np.zeros((dim, dim))
    yield np.eye(dim)
    yield np.ones((dim, dim))
    yield np.diag(np.geomspace(1e-200, 1e200, dim))
    yield np.diag(np.arange(dim, 0, -1.0))
    grade = 10.0 ** rng.uniform(-12, 12, dim)
    yield (x @ x.T) * grade * grade[:, None]
    beside = np.diag(np.ones(dim - 1), 1)
    yield (
        np.diag(np.abs(np.arange(dim) - dim // 2) * 1.0) + beside + beside.T
    )  # pairs all but equal
    q = np.linalg.qr(x)[0]
    yield (q * np.where(np.arange(dim) % 2, 1.0, -1.0)) @ q.T  # two values, each many times
    apart = np.zeros((dim, dim))  # reflected, its rows shrink by eight decades each
    few = [0, *range(max(1, dim - 2), dim)]
    near = np.array([0.3, 0.7, 0.7001])[: len(few)]
    apart[np.ix_(few, few)] = np.exp(-12.5 * (near[:, None] - near) ** 2)
    yield apart
    yield 1e300 * (x + x.T) / np.abs(x + x.T).max()
    yield 1e-300 * (x + x.T)


@pytest.mark.parametrize("dim", DIMS)
def test_it_is_an_eigensystem(dim):
    """Backward stable: by Weyl's theorem values move by no more than the backward error, c d eps
    of the largest; c = 4 has room for the mixed signs of roundings."""
    for matrix in matrices(dim):
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        values, vectors = eigensystem(matrix)
        largest = max(np.abs(matrix).max(), 5e-324)
        scaled, of_values = matrix / largest, values / largest
        norm = max(np.abs(of_values).max(), 1.0 if largest == 5e-324 else 0.0)
        allowed = 4 * (dim + 4) * EPS * norm
        assert (np.diff(values) >= 0).all()
        assert np.abs(vectors.T @ vectors - np.eye(dim)).max() <= 4 * (dim + 4) * EPS
        assert np.abs(scaled @ vectors - vectors * of_values).max() <= allowed
        assert np.abs(of_values - np.linalg.eigvalsh(scaled)).max() <= allowed
        largest_of = vectors[np.abs(vectors).argmax(axis=0), np.arange(dim)]
        assert (largest_of > 0).all()


def test_diagonal_matrices_have_unit_vectors_and_exact_values():
    diagonal = np.array([3.0, -1.0, 1e-30, 1e30, 0.0])
    values, vectors = eigensystem(np.diag(diagonal))
    order = np.argsort(diagonal)
    np.testing.assert_array_equal(values, diagonal[order])
    np.testing.assert_array_equal(vectors, np.eye(5)[:, order])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_no_eigensystem(bad):
    matrix = np.eye(3)
    matrix[0, 1] = matrix[1, 0] = bad
    values, vectors = eigensystem(matrix)
    assert np.isnan(values).all()
    assert np.isnan(vectors).all()
