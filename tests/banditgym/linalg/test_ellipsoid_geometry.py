"""Kernels of ellipsoids against quadratic forms, solves, and the secular equation by bisection."""

import numpy as np
import pytest

from banditgym.linalg.ellipsoid_geometry import (
    best_points,
    first_outside,
    project_points,
    stretch_ball,
)


def shapes(ratio):
    """(axes, directions, whitening) of a turned ellipsoid and of one along the coordinates."""
    axes = 2.0 * ratio ** -np.array([0, 1.0, 0.2, 0.9, 0.5])
    turned = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 5)))[0]
    found = [
        (axes, turned, np.ascontiguousarray(turned.T / axes)),
        (axes[:3], np.eye(3), 1.0 / axes[None, :3]),
    ]
    for array in (array for shape in found for array in shape):
        array.flags.writeable = False
    return found


def nearest_by_bisection(points, axes, directions):
    """The nearest points to points outside, in extended precision."""
    a = axes.astype(np.longdouble)
    z = points.astype(np.longdouble) @ directions.astype(np.longdouble).T
    low = np.zeros((len(points), 1), np.longdouble)
    high = 2 * np.linalg.norm((a * z).astype(float), axis=1)[:, None] + low
    for _ in range(200):
        mu = (low + high) / 2
        out = ((a * z / (a * a + mu)) ** 2).sum(axis=1, keepdims=True) > 1
        low, high = np.where(out, mu, low), np.where(out, high, mu)
    return (a * a * z / (a * a + low)) @ directions.astype(np.longdouble)


@pytest.mark.parametrize("ratio", [1.0, 3.0, 1e3, 1e5])
@pytest.mark.parametrize("size", [1 + 1e-9, 1.01, 2.0, 1e3, 1e12, 1e25])
def test_nearest_points_are_those_of_the_secular_equation(ratio, size):
    for axes, directions, whitening in shapes(ratio):
        points = np.random.default_rng(2).standard_normal((40, len(axes)))
        points[20:] = points[20:] @ (directions * axes[:, None])  # evenly over all directions' ends
        white = points @ (directions.T / axes)
        points *= size / np.linalg.norm(white, axis=1, keepdims=True)
        expected = nearest_by_bisection(points, axes, directions)
        project_points(points, axes, directions, whitening)
        assert np.abs(points - expected).max() <= 1e-12 * axes.max()


@pytest.mark.parametrize("ratio", [1.0, 30.0])
def test_best_points_are_those_of_a_solve(ratio):
    for axes, directions, whitening in shapes(ratio):
        matrix = (directions.T / axes**2) @ directions
        theta = np.random.default_rng(3).standard_normal((20, len(axes)))
        pull = np.linalg.solve(matrix, theta.T).T
        best = theta.copy()
        best_points(best, axes, directions, whitening)
        expected = pull / np.sqrt((theta * pull).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(best, expected, rtol=0, atol=1e-14 * ratio**2)


def test_points_are_judged_by_the_quadratic_form():
    for axes, directions, whitening in shapes(30.0):
        points = np.random.default_rng(4).standard_normal((100, len(axes)))
        best_points(points, axes, directions, whitening)
        frozen = points.copy()
        frozen.flags.writeable = False
        assert first_outside(frozen, whitening, 1e-9) == -1
        for i, factor in ((0, 1 + 1e-3 + 1e-9), (57, 30.0), (99, np.nan), (3, np.inf)):
            moved = points * 0.999
            moved[i] = factor * points[i]
            moved.flags.writeable = False
            assert first_outside(moved, whitening, 1e-3) == i
        inside = points * (1 + 1e-3 - 1e-9)
        inside.flags.writeable = False
        assert first_outside(inside, whitening, 1e-3) == -1


def test_the_ball_is_stretched_along_the_axes():
    for axes, directions, whitening in shapes(30.0):
        white = np.random.default_rng(5).standard_normal((20, len(axes)))
        points = white.copy()
        stretch_ball(points, axes, directions, whitening)
        np.testing.assert_allclose(points, (white * axes) @ directions, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(points @ (directions.T / axes), white, rtol=1e-12, atol=1e-13)
