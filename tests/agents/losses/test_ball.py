"""The projection and the length against plain ones, and at sizes whose squares are no floats."""

import numpy as np
import pytest

from agents.losses.ball import length, project
from banditgym.action_sets import Ball
from banditgym.compiled import compiled


@compiled
def projected(points, radius):
    for i in range(points.shape[0]):
        project(points, i, radius)


@compiled
def lengths(rows):
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        out[i] = length(rows, i)
    return out


@pytest.mark.parametrize("dim", [1, 2, 6])
@pytest.mark.parametrize("radius", [0.3, 1.0, 40.0])
def test_the_nearest_point_of_the_ball(dim, radius):
    """Points inside are left alone to the last bit, and so are neighbours."""
    rng = np.random.default_rng(dim)
    points = rng.standard_normal((200, dim)) * rng.choice([0.1, 1.0, 100.0], (200, 1))
    points[0] = 0.0
    got = points.copy()
    projected(got, radius)
    np.testing.assert_allclose(got, Ball(dim, radius).project(points), rtol=1e-14)
    inside = np.linalg.norm(points, axis=1) < radius * (1 - 1e-14)
    assert 0 < inside.sum() < 200
    np.testing.assert_array_equal(got[inside], points[inside])
    np.testing.assert_allclose(lengths(points), np.linalg.norm(points, axis=1), rtol=1e-14)


def test_sizes_whose_squares_are_no_floats():
    points = np.array([[3e200, -4e200], [3e-200, 4e-200], [1.7e308, 0.0], [np.inf, 0.0]])
    np.testing.assert_allclose(lengths(points[:3]), [5e200, 5e-200, 1.7e308], rtol=1e-15)
    projected(points, 2.0)
    expected = [[1.2, -1.6], [3e-200, 4e-200], [2.0, 0.0], [2.0, 0.0]]
    np.testing.assert_allclose(points, expected, rtol=1e-15)
