"""The factor that gains rows against numpy's of the whole."""

import numpy as np
import pytest

from agents.numerics.kernel.kernel_factor import (
    absorb_features,
    absorb_point,
    draw_features,
    predict_points,
    solve_lower,
)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 10, 40])
@pytest.mark.parametrize("width", [1, 127, 128, 129, 300])
def test_a_triangle_is_solved_with(count, width):
    """Diagonals of 5 to 6 over entries of deviation 1 / 7: the condition number is below 100."""
    rng = np.random.default_rng(count)
    factor = np.full((48, 48), np.nan)  # what is above the diagonal, and beyond, is not read
    lower = np.tril(rng.standard_normal((count, count)) / 7)
    lower[np.diag_indices(count)] = rng.uniform(5, 6, count)
    rows, columns = np.tril_indices(count)
    factor[rows, columns] = lower[rows, columns]
    right = rng.standard_normal((count, width))
    solution = right.copy()
    solve_lower(factor, count, solution)
    np.testing.assert_allclose(lower @ solution, right, rtol=0, atol=1e-13)


def test_points_one_by_one_make_the_whole_factor():
    """G of rank 3 and size 50: errors of a few hundred eps of 50."""
    rng, t = np.random.default_rng(1), 30
    x = 4 * rng.standard_normal((t, 3)) / np.sqrt(3)
    gram, y = x @ x.T, rng.standard_normal(t)
    factor, whitened = np.zeros((t + 2, t + 2)), np.zeros(t + 2)
    log_det, trace = 0.0, 0.0
    for s in range(t):
        variance, grown = absorb_point(
            factor, whitened, gram[:s, s : s + 1].copy(), gram[s, s], y[s]
        )
        log_det, trace = log_det + np.log1p(variance), trace + grown
        whole = gram[: s + 1, : s + 1]
        inverse = np.linalg.inv(whole + np.eye(s + 1))
        np.testing.assert_allclose(log_det, -np.linalg.slogdet(inverse)[1], atol=1e-11)
        np.testing.assert_allclose(trace, np.trace(whole @ inverse), atol=1e-11)
    exact = np.linalg.cholesky(gram + np.eye(t))
    np.testing.assert_allclose(factor[:t, :t], exact, rtol=0, atol=1e-11)
    np.testing.assert_allclose(exact @ whitened[:t], y, rtol=0, atol=1e-11)
    assert not factor[t:].any()
    # At points of its own rows, and at others.
    others = 4 * rng.standard_normal((9, 3)) / np.sqrt(3)
    points = np.concatenate([x, others])
    mean, variance = np.empty(39), np.empty(39)
    cross = x @ points.T
    prior = np.ascontiguousarray((points * points).sum(axis=1))
    predict_points(factor, whitened, cross.copy(), prior, -1.0, mean, variance)
    inverse = np.linalg.inv(gram + np.eye(t))
    np.testing.assert_allclose(mean, cross.T @ inverse @ y, rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        variance, prior - ((inverse @ cross) * cross).sum(axis=0), rtol=0, atol=1e-11
    )


def test_no_variance_is_negative_and_no_pivot_below_one():
    """A point of variance 0 by its digits, seen before: rounding may leave less than nothing."""
    factor, whitened = np.zeros((4, 4)), np.zeros(4)
    for _ in range(3):
        variance, _ = absorb_point(factor, whitened, np.zeros((0, 1)), -1e-9, 1.0)
        assert variance == 0.0
        assert factor[0, 0] == 1.0
    mean, variance = np.empty(1), np.empty(1)
    predict_points(factor, whitened, np.zeros((0, 1)), np.array([-1e-9]), -1.0, mean, variance)
    assert variance[0] == 0.0


@pytest.mark.parametrize("size", [1, 2, 9])
def test_points_of_features_make_the_factor_of_their_gram_matrix(size):
    """A = I + sum z z^T; the sum of the variances of all pulls is tr(I - A^-1)."""
    rng = np.random.default_rng(size)
    factor, moment, whitened = np.eye(size), np.zeros(size), np.zeros(size)
    gram, total, trace = np.eye(size), np.zeros(size), 0.0
    for _ in range(30):
        z, y = rng.standard_normal(size), rng.standard_normal()
        trace += absorb_features(factor, moment, whitened, z, y)
        gram, total = gram + np.outer(z, z), total + z * y
        exact = np.linalg.cholesky(gram)
        np.testing.assert_allclose(np.tril(factor), exact, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(moment, total, rtol=0, atol=1e-12)
        np.testing.assert_allclose(whitened, np.linalg.solve(exact, total), rtol=0, atol=1e-11)
        np.testing.assert_allclose(trace, size - np.trace(np.linalg.inv(gram)), atol=1e-11)


def test_samples_of_features_have_the_mean_and_the_spread_of_the_posterior():
    """L^-T (whitened + scale z) for normals z, each replicate with its own."""
    rng = np.random.default_rng(0)
    factor = np.tril(rng.standard_normal((3, 4, 4))) + 3 * np.eye(4)
    whitened, normals = rng.standard_normal((2, 3, 4))
    scale, theta = np.array([0.5, 2.0, 0.0]), normals.copy()
    draw_features(factor, whitened, scale, theta)
    for i in range(3):
        expected = np.linalg.solve(factor[i].T, whitened[i] + scale[i] * normals[i])
        np.testing.assert_allclose(theta[i], expected, rtol=1e-12, atol=1e-12)
