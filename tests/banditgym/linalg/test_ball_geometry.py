"""Lengths and projections against plain ones, and at sizes whose squares are no floats."""

import math

import numpy as np
import pytest

from banditgym.compiled import compiled
from banditgym.linalg.ball_geometry import inner, length, project, stretch


@compiled
def projected(points, radius):
    for i in range(points.shape[0]):
        project(points, i, radius)


@compiled
def stretched(points, radius):
    for i in range(points.shape[0]):
        stretch(points, i, radius)


@compiled
def lengths(rows):
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        out[i] = length(rows, i)
    return out


@compiled
def inner_products(x, y):
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = inner(x, y, i)
    return out


def plain_inner(x, y):
    """The sum in the order that the module states, one addition after the other."""
    sums, rest = [0.0] * 8, 0.0
    for j in range(len(x)):
        if j < len(x) // 8 * 8:
            sums[j % 8] += float(x[j] * y[j])
        else:
            rest += float(x[j] * y[j])
    four = [sums[k] + sums[k + 4] for k in range(4)]
    return ((four[0] + four[2]) + (four[1] + four[3])) + rest


@pytest.mark.parametrize("dim", [1, 2, 7, 8, 9, 15, 16, 17, 100, 103])
@pytest.mark.parametrize("n", [1, 5, 8])
def test_sums_over_coordinates_have_one_order(dim, n):
    """Bit for bit, on numbers whose sum depends on the order in its first digits."""
    rng = np.random.default_rng(dim)
    x, y = rng.standard_normal((2, 8, dim)) * 10.0 ** rng.integers(-6, 7, (2, 8, dim))
    expected = [plain_inner(a, b) for a, b in zip(x[:n], y[:n], strict=True)]
    np.testing.assert_array_equal(inner_products(x[:n].copy(), y[:n].copy()), expected)
    squares = [math.sqrt(plain_inner(a, a)) for a in x[:n]]
    np.testing.assert_array_equal(lengths(x[:n].copy()), squares)


@pytest.mark.parametrize("dim", [1, 2, 6, 19])
@pytest.mark.parametrize("radius", [0.3, 1.0, 40.0])
def test_the_nearest_point_of_the_ball(dim, radius):
    """Points inside, projections and 0 are left alone to the last bit."""
    rng = np.random.default_rng(dim)
    points = rng.standard_normal((200, dim)) * rng.choice([0.1, 1.0, 100.0], (200, 1))
    points[0] = 0.0
    norms = np.linalg.norm(points, axis=1)
    np.testing.assert_allclose(lengths(points), norms, rtol=1e-14)
    got = points.copy()
    projected(got, radius)
    wanted = points * (radius / np.maximum(norms, radius))[:, None]
    np.testing.assert_allclose(got, wanted, rtol=1e-14)
    inside = norms < radius * (1 - 1e-14)
    assert 0 < inside.sum() < 200
    np.testing.assert_array_equal(got[inside], points[inside])
    again = got.copy()
    projected(again, radius)
    np.testing.assert_array_equal(again, got)
    stretched(points, radius)
    np.testing.assert_array_equal(points[0], np.zeros(dim))
    np.testing.assert_array_equal(points[~inside], got[~inside])
    np.testing.assert_allclose(lengths(points[1:]), radius, rtol=1e-14)


def test_sizes_whose_squares_are_no_floats():
    """Or have lost digits, as that of 3e-161. The least number alone has a direction, no length."""
    points = np.array([[3e200, -4e200], [3e-200, 4e-200], [1.7e308, 0.0], [np.inf, 0.0]])
    np.testing.assert_allclose(lengths(points), [5e200, 5e-200, 1.7e308, np.inf], rtol=1e-15)
    projected(points, 2.0)
    expected = [[1.2, -1.6], [3e-200, 4e-200], [2.0, 0.0], [2.0, 0.0]]
    np.testing.assert_allclose(points, expected, rtol=1e-15)
    np.testing.assert_allclose(lengths(np.array([[3e-161, 4e-161]])), [5e-161], rtol=1e-15)
    points = np.array([[5e-324, 5e-324], [1.7e308, -1.7e308], [-np.inf, np.inf]])
    assert lengths(points)[1] == np.inf
    stretched(points, 2**0.5)
    np.testing.assert_allclose(points, [[1, 1], [1, -1], [-1, 1]], rtol=1e-15)
