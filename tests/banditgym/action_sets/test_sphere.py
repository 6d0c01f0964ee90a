"""Spheres: off is what lies inside as well as outside."""

import math

import numpy as np
import pytest

from banditgym.action_sets import Ball, Sphere


def test_nearest_points_are_in_the_same_direction():
    sphere = Sphere(2, 5.0)
    points = np.array([[0.3, -0.4], [30.0, 40.0], [3.0, 4.0], [1e200, 0.0], [0.0, -1e-200]])
    expected = [[3, -4], [3, 4], [3, 4], [5, 0], [0, -5]]
    np.testing.assert_allclose(sphere.project(points), expected, rtol=1e-15)
    np.testing.assert_allclose(sphere.distance(points), [4.5, 45, 0, 1e200, 5], rtol=1e-15)


def test_the_centre_goes_to_the_first_axis():
    for sphere in (Sphere(3, 2.0), Sphere(1, 0.5)):
        expected = np.eye(1, sphere.dim) * sphere.radius
        for zero in (0.0, -0.0):
            np.testing.assert_array_equal(sphere.project(np.full((1, sphere.dim), zero)), expected)
        assert sphere.distance(np.zeros((1, sphere.dim))) == sphere.radius
        tiny = np.full((1, sphere.dim), -5e-324)
        side = -sphere.radius / math.sqrt(sphere.dim)
        np.testing.assert_allclose(sphere.project(tiny), np.full((1, sphere.dim), side), rtol=1e-15)


def test_points_inside_are_off():
    sphere = Sphere(3, 2.0)
    point = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, -2.0 * (1 - 9e-10)]])
    np.testing.assert_array_equal(sphere.read(point, 2), point)
    for inside, told in ((1 - 1.1e-9, "2.2e-09 inside"), (1 - 1e-7, "2e-07 inside"), (0.5, "1 in")):
        given = point.copy()
        given[1, 2] = -2.0 * inside
        with pytest.raises(
            ValueError, match=f"replicate 1 is not on the sphere of radius 2.0: it lies {told}"
        ):
            sphere.read(given, 2)
    with pytest.raises(ValueError, match="it lies 2 inside"):
        sphere.read(np.zeros((1, 3)), 1)
    with pytest.raises(ValueError, match="it lies 1.5 outside"):
        sphere.read([[0.0, 3.5, 0.0]], 1)


@pytest.mark.parametrize("radius", [1e-200, 1e-100, 1e100, 1e200])
def test_radii_whose_squares_are_no_floats(radius):
    sphere = Sphere(3, radius)
    points = sphere.sample(np.random.default_rng(0), 20)
    sphere.read(points, 20)
    for factor, side in ((1 + 1e-8, "outside"), (1 - 1e-8, "inside")):
        with pytest.raises(ValueError, match=side):
            sphere.read(factor * points, 20)
    np.testing.assert_allclose(sphere.project(0.1 * points), points, rtol=1e-14)


def test_in_one_dimension_it_is_a_pair_of_points():
    sphere = Sphere(1, 2.0)
    assert set(sphere.sample(np.random.default_rng(1), 50).ravel()) == {-2.0, 2.0}
    np.testing.assert_array_equal(sphere.argmax(np.array([[-3.0], [0.1]])), [[-2.0], [2.0]])


def test_it_is_no_ball():
    assert Sphere(2) != Ball(2)
    assert not isinstance(Sphere(2), Ball)
    assert repr(Sphere(2)) == "Sphere(dim=2, radius=1.0)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((0,), "dim must be an integer >= 1, got 0"),
        ((2.0,), "dim must be an integer >= 1, got 2.0"),
        ((2, 0.0), "radius must be finite and > 0, got 0"),
        ((2, math.nan), "radius must be finite and > 0, got nan"),
        ((2, math.inf), "radius must be finite and > 0, got inf"),
        ((2, "1"), "radius must be a number, got '1'"),
    ],
)
def test_a_sphere_is_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        Sphere(*settings)
