"""Ellipsoids against the definition by quadratic forms; the settings that they refuse."""

import copy
import math

import numpy as np
import pytest

from banditgym.action_sets import Ball, Ellipsoid


def turned(dim, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((dim, dim)))[0]


def of_ratio(ratio, dim=5, seed=1, longest=2.0):
    exponents = np.concatenate([[0.0, 1.0], np.random.default_rng(seed).random(dim)])[:dim]
    return Ellipsoid.of_axes(longest * ratio**-exponents, turned(dim, seed))


@pytest.mark.parametrize("ratio", [1.0, 3.0, 1e3])
def test_best_points_are_those_of_the_formula(ratio):
    ellipsoid = of_ratio(ratio)
    theta = np.random.default_rng(3).standard_normal((20, 5))
    for t, best in zip(theta, ellipsoid.argmax(theta), strict=True):
        pull = np.linalg.solve(ellipsoid.matrix, t)
        np.testing.assert_allclose(
            best, pull / math.sqrt(t @ pull), rtol=1e-14 * ratio**2, atol=1e-15 * ratio**2
        )


def test_points_are_judged_by_the_quadratic_form():
    matrix = np.array([[2.0, 0.9], [0.9, 0.5]])
    ellipsoid = Ellipsoid(matrix)
    points = 3.0 * np.random.default_rng(4).standard_normal((500, 2))
    form = np.einsum("ij,jk,ik->i", points, matrix, points)
    assert 20 < (form <= 1).sum() < 480
    for point, size in zip(points, form, strict=True):
        if size <= 1:
            ellipsoid.read(point[None], 1)
            assert ellipsoid.distance(point[None]) == 0
        else:
            with pytest.raises(
                ValueError, match=r"is not in the ellipsoid of semi-axes 0.64262 .. 3.57: it"
            ):
                ellipsoid.read(point[None], 1)
    low, high = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(sorted(ellipsoid.axes), [high**-0.5, low**-0.5], rtol=1e-12)


def test_matrix_axes_and_directions_are_one_shape():
    for ellipsoid in (
        Ellipsoid(np.array([[2.0, 0.9], [0.9, 0.5]])),
        Ellipsoid(np.diag([0.25, 4.0, 1.0])),
        Ellipsoid.of_axes([3.0, 0.5]),
        of_ratio(7.0),
    ):
        a, u, dim = ellipsoid.axes, ellipsoid.directions, ellipsoid.dim
        np.testing.assert_allclose(u @ u.T, np.eye(dim), atol=1e-14)
        np.testing.assert_allclose((u.T / a**2) @ u, ellipsoid.matrix, rtol=1e-13, atol=1e-13)
        assert ellipsoid.longest == a.max()
        np.testing.assert_array_equal(ellipsoid.basis, a[:, None] * u)
        for array in (ellipsoid.matrix, a, u, ellipsoid.whitening):
            assert array.flags.c_contiguous
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
    np.testing.assert_array_equal(Ellipsoid(np.diag([0.25, 4.0])).axes, [2.0, 0.5])
    np.testing.assert_array_equal(Ellipsoid.of_axes([3.0, 0.5]).matrix, np.diag([1 / 9, 4.0]))


def test_what_is_given_is_copied():
    matrix = np.diag([1.0, 4.0])
    ellipsoid = Ellipsoid(matrix)
    matrix[0, 0] = 9.0
    assert ellipsoid.matrix[0, 0] == 1.0
    assert matrix.flags.writeable
    assert not copy.deepcopy(ellipsoid).whitening.flags.writeable


def test_upright_and_turned_ones_do_the_same():
    axes, turn = np.array([2.0, 0.5, 1.0, 0.1, 0.7]), np.eye(5)[[3, 0, 4, 1, 2]]
    upright, turned_one = Ellipsoid.of_axes(axes), Ellipsoid.of_axes(axes, turn)
    assert upright.whitening.shape == (1, 5)
    assert turned_one.whitening.shape == (5, 5)
    points = 2.0 * np.random.default_rng(5).standard_normal((30, 5))
    for name in ("argmax", "project", "distance"):
        ours, theirs = getattr(upright, name)(points), getattr(turned_one, name)(points @ turn)
        if name != "distance":
            theirs = theirs @ turn.T
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
    for signs in ([[-1.0]], np.diag([1.0, -1.0])):
        size = len(signs)
        mirrored = Ellipsoid.of_axes(axes[:size], signs)
        plain = Ellipsoid.of_axes(axes[:size])
        point = np.array([[-3.0, 1.0][:size]])
        np.testing.assert_array_equal(mirrored.argmax(point), plain.argmax(point))
        np.testing.assert_array_equal(mirrored.project(point), plain.project(point))


def test_a_round_one_is_a_ball():
    ball, ellipsoid = Ball(4, 0.5), Ellipsoid(4.0 * np.eye(4))
    points = np.random.default_rng(6).standard_normal((50, 4))
    np.testing.assert_allclose(ellipsoid.project(points), ball.project(points), rtol=1e-14)
    np.testing.assert_allclose(ellipsoid.argmax(points), ball.argmax(points), rtol=1e-14)
    np.testing.assert_allclose(ellipsoid.distance(points), ball.distance(points), rtol=1e-12)
    same = ellipsoid.sample(np.random.default_rng(7), 9), ball.sample(np.random.default_rng(7), 9)
    np.testing.assert_allclose(*same, rtol=1e-14)


def test_equality_is_that_of_the_shape():
    one = of_ratio(7.0)
    assert one == of_ratio(7.0)
    assert one != of_ratio(7.1)
    assert one != Ball(5)
    assert Ellipsoid(np.eye(2)) == Ellipsoid.of_axes([1, 1])
    assert len({one, of_ratio(7.0), of_ratio(8.0)}) == 2
    signed = Ellipsoid(np.array([[1.0, -0.0], [-0.0, 2.0]]))
    assert len({signed, Ellipsoid(np.diag([1.0, 2.0]))}) == 1
    assert repr(Ellipsoid.of_axes([0.5, 2])) == "Ellipsoid(dim=2, axes 0.5 .. 2)"


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2)[:1], r"matrix must be of shape \(d, d\), got \(1, 2\)"),
        (np.ones(3), r"matrix must be of shape \(d, d\), got \(3,\)"),
        (np.empty((0, 0)), r"matrix must be of shape \(d, d\), got \(0, 0\)"),
        ("Q", "matrix must be an array of real numbers"),
        ([[1.0, np.nan], [np.nan, 1.0]], "matrix must be finite, got nan at"),
        ([[1.0, 0.5], [0.4, 1.0]], "matrix must be symmetric, and is not"),
        ([[1.0, 2.0], [2.0, 1.0]], "matrix must be positive definite, of .* -1 .. 3"),
        ([[1.0, 1.0], [1.0, 1.0]], "matrix must be positive definite"),
        (np.zeros((2, 2)), "matrix must be positive definite"),
        ([[-1.0]], "matrix must be positive definite"),
        (1e301 * np.eye(2), r"matrix must have no entry above 1e300 in size, got 1e\+301"),
        (1e307 * np.array([[2.0, 9.0], [-9.0, 2.0]]), "matrix must have no entry above 1e300"),
        (1e-301 * np.eye(2), "matrix must have eigenvalues of 1e-300 or more, got 1e-301"),
        (np.diag([1.0, 1e11]), r"condition number of at most 1e\+10; its eigenvalues are 1 .. 1e"),
    ],
)
def test_a_matrix_is_checked(matrix, message):
    with pytest.raises(ValueError, match=message) as caught:
        Ellipsoid(matrix)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("axes", "directions", "message"),
    [
        ([], None, r"axes must be of shape \(d,\), got \(0,\)"),
        ([[1.0]], None, r"axes must be of shape \(d,\), got \(1, 1\)"),
        (1.0, None, r"axes must be of shape \(d,\), got \(\)"),
        ([1.0, 0.0], None, r"axes must lie within 1e-150 .. 1e150 .* got 0.0 .. 1.0"),
        ([1.0, -1.0], None, "axes must lie within"),
        ([1.0, np.inf], None, "axes must be finite"),
        ([1.0, 1.01e5], None, "have a ratio of at most 100000, got 1.0 .. 101000.0"),
        ([1e-151], None, "axes must lie within"),
        ([1e151], None, "axes must lie within"),
        ([1e308], None, "axes must lie within"),
        ([1.0, 2.0], np.eye(3), r"directions must be of shape \(2, 2\), got \(3, 3\)"),
        ([1.0, 2.0], [[1.0, 0.0], [0.1, 1.0]], "directions must be orthonormal rows"),
    ],
)
def test_axes_and_directions_are_checked(axes, directions, message):
    with pytest.raises(ValueError, match=message) as caught:
        Ellipsoid.of_axes(axes, directions)
    assert "\n" not in str(caught.value)
