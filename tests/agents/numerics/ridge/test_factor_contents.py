"""The estimate, V and its determinant are those of the U, D and g that a factor has."""

import numpy as np

from agents.numerics.ridge.factor_contents import log_determinant, multiply, solve


def test_they_are_those_of_the_factor():
    rng, n, dim, ridge = np.random.default_rng(0), 3, 70, 1e-3
    upper = np.tile(np.eye(dim), (n, 1, 1)) + np.triu(rng.standard_normal((n, dim, dim)) / dim, 1)
    pivots = ridge + 1e5 * rng.random((n, dim))  # so large that a product of all overflows
    moment = rng.standard_normal((n, dim))
    theta = solve(upper, moment)
    gram = multiply(upper, np.stack([pivots, 1 / pivots], axis=1))
    log_det = log_determinant(np.stack([pivots, 1 / pivots], axis=1), ridge)
    for i in range(n):
        np.testing.assert_allclose(upper[i] @ theta[i], moment[i], rtol=1e-12, atol=1e-12)
        expected = upper[i].T @ np.diag(pivots[i]) @ upper[i]
        np.testing.assert_allclose(gram[i], expected, rtol=1e-12, atol=1e-6)
        np.testing.assert_allclose(log_det[i], np.log(pivots[i] / ridge).sum(), rtol=1e-13)
