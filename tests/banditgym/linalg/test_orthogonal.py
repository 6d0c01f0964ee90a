"""Q R = X, Q orthonormal, R's diagonal, at random and awkward matrices; ranks against numpy's."""

import numpy as np
import pytest

from banditgym.linalg.orthogonal import orthonormal, rank, triangle

EPS = 2.0**-52
SHAPES = [
    (1, 1),
    (1, 4),
    (4, 1),
    (3, 2),
    (5, 5),
    (31, 33),
    (33, 31),
    (64, 64),
    (100, 70),
    (300, 90),
]


def matrices(m, d):
    rng = np.random.default_rng(1000 * m + d)
    x = rng.standard_normal((m, d))
    yield x
    yield x * 10.0 ** rng.uniform(-30, 30, d)  # columns of all lengths
    yield np.ones((m, d))
    yield np.zeros((m, d))
    yield np.eye(m, d)
    yield -np.eye(m, d)
    yield np.where(np.arange(d) % 2, x, 0.0)
    yield 1e300 * x
    yield 1e-300 * x
    yield x[:, :1] * np.geomspace(1, 1e-14, d) + 1e-16 * x  # nearly of rank one


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_a_factorisation(shape):
    """Errors of a column are bounded by c m d eps of its length (Higham, theorem 19.4); signs of
    roundings are mixed, so that m + d in place of m d holds with room for c = 4."""
    m, d = shape
    for x in matrices(m, d):
        q, r = orthonormal(x)
        scale = max(np.abs(x).max(), 5e-324)
        scaled, of_r = x.astype(np.longdouble) / scale, r.astype(np.longdouble) / scale
        size = min(m, d)
        assert q.shape == (m, size)
        assert r.shape == (size, d)
        lengths = np.sqrt((scaled * scaled).sum(axis=0))
        allowed = 4 * (m + d) * EPS * lengths + 1e-300
        assert (np.abs(q.astype(np.longdouble) @ of_r - scaled) <= allowed).all()
        assert np.abs(q.T @ q - np.eye(size)).max() <= 4 * (m + d) * EPS
        assert (np.tril(r, -1) == 0).all()
        assert (np.diag(r) >= 0).all()
        np.testing.assert_array_equal(triangle(x), r)


@pytest.mark.parametrize("shape", [(5, 5), (40, 33), (100, 64)])
def test_it_is_lapacks_but_for_signs(shape):
    """Both factors err by eps times the condition number, here below 1e4."""
    x = np.random.default_rng(1).standard_normal(shape)
    q, r = np.linalg.qr(x)
    signs = np.sign(np.diag(r))
    own_q, own_r = orthonormal(x)
    np.testing.assert_allclose(own_r, signs[:, None] * r, rtol=0, atol=1e-10)
    np.testing.assert_allclose(own_q, q * signs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_are_those_by_singular_values(shape):
    """Of matrices whose singular values are either 0 but for rounding, or far from it."""
    m, d = shape
    rng = np.random.default_rng(7)
    for true in range(min(m, d, 6) + 1):
        x = rng.standard_normal((m, true)) @ rng.standard_normal((true, d))
        assert rank(x) == true == np.linalg.matrix_rank(x)
        assert rank(1e250 * x) == true
    assert rank(rng.standard_normal(shape)) == min(m, d)


def test_columns_nearly_the_same_are_independent_by_what_is_left_of_them():
    x = np.array([[1.0, 1.0], [0.0, 1e-14], [0.0, 0.0]])
    assert rank(x) == 2
    x[1, 1] = 1e-16
    assert rank(x) == 1
