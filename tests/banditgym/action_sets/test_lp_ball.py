"""Balls of l_p norms against the definition, their nearest points by nested bisection."""

import math

import numpy as np
import pytest

from banditgym.action_sets import Ball, LpBall


def nearest_by_bisection(points, p, radius):
    """The nearest points, in extended precision, of points outside."""
    x = np.abs(np.asarray(points, np.longdouble)) / radius
    low, high = np.zeros((len(x), 1), np.longdouble), 2 * x.max(axis=1, keepdims=True) * x.shape[1]

    def part(mu):
        """y with y + mu y^(p - 1) = x."""
        least, most = np.zeros_like(x), x.copy()
        for _ in range(100):
            middle = (least + most) / 2
            above = middle + mu * middle ** (np.longdouble(p) - 1) > x
            least, most = np.where(above, least, middle), np.where(above, middle, most)
        return least

    for _ in range(100):
        mu = (low + high) / 2
        out = (part(mu) ** np.longdouble(p)).sum(axis=1, keepdims=True) > 1
        low, high = np.where(out, mu, low), np.where(out, high, mu)
    return radius * np.copysign(part(low), np.asarray(points, np.longdouble))


@pytest.mark.parametrize("p", [1 + 1e-6, 1.001, 1.05, 1.5, 1.9, 2.0])
@pytest.mark.parametrize("size", [1 + 1e-6, 1.3, 1e6, 1e9])
def test_nearest_points_are_those_of_the_equations(p, size):
    ball = LpBall(4, p, 0.7)
    points = np.random.default_rng(0).standard_normal((8, 4))
    points[:2, 2] = 0.0
    points[2] = np.eye(4)[1]
    points[3:5, 1:] *= 1e-7
    norm = (np.abs(points / 0.7) ** p).sum(axis=1, keepdims=True) ** (1 / p)
    points *= size / norm
    nearest = ball.project(points)
    # Bisection's own share of the numbers that it brackets is 2^-100 of the largest.
    assert np.abs(nearest - nearest_by_bisection(points, p, 0.7)).max() <= 1e-12 * 0.7
    np.testing.assert_array_equal(np.sign(nearest[points == 0]), 0.0)


@pytest.mark.parametrize("p", [1.001, 1.2, 1.5, 2.0])
def test_best_points_are_those_of_the_formula(p):
    q = p / (p - 1)
    theta = np.random.default_rng(1).choice([-1.0, -0.999, 0.0, 0.99, 0.5], (20, 6))
    theta[:, 0] = 1.0
    best = LpBall(6, p, 2.0).argmax(theta)
    for t, found in zip(theta, best, strict=True):
        dual = (np.abs(t) ** q).sum() ** (1 / q)
        np.testing.assert_allclose(
            found, 2.0 * np.sign(t) * (np.abs(t) / dual) ** (q - 1), rtol=1e-10, atol=1e-300
        )
        np.testing.assert_allclose(found @ t, 2.0 * dual, rtol=1e-13)


def test_towards_the_diamond_best_points_go_to_its_corners():
    theta = np.array([[3.0, -2.9, 0.0], [1.0, 1.0, -1.0]])
    best = LpBall(3, 1 + 1e-6).argmax(theta)
    np.testing.assert_allclose(best, [[1, 0, 0], [1 / 3, 1 / 3, -1 / 3]], rtol=1e-5, atol=1e-300)
    best = LpBall(3, math.nextafter(1.0, 2.0)).argmax(theta)
    np.testing.assert_allclose(best, [[1, 0, 0], [1 / 3, 1 / 3, -1 / 3]], rtol=1e-14)


def test_the_last_of_them_is_the_ball():
    lp, ball = LpBall(4, 2.0, 0.5), Ball(4, 0.5)
    points = np.random.default_rng(2).standard_normal((50, 4))
    np.testing.assert_allclose(lp.project(points), ball.project(points), rtol=1e-14)
    np.testing.assert_allclose(lp.argmax(points), ball.argmax(points), rtol=1e-14)
    np.testing.assert_allclose(lp.distance(points), ball.distance(points), rtol=1e-12)
    assert lp != ball


@pytest.mark.parametrize("p", [1.0001, 1.3, 1.5, 2.0])
def test_points_are_judged_by_their_norm(p):
    ball = LpBall(3, p, 2.0)
    points = np.random.default_rng(3).standard_normal((300, 3))
    norms = np.array([math.fsum(abs(x) ** p for x in point) ** (1 / p) for point in points])
    assert 20 < (norms <= 2).sum() < 280
    for point, norm in zip(points, norms, strict=True):
        if norm <= 2:
            ball.read(point[None], 1)
            assert ball.distance(point[None]) == 0
        else:
            with pytest.raises(ValueError, match=rf"is not in the l_{p:g} ball of radius 2.0: it"):
                ball.read(point[None], 1)


def test_exponents_of_which_roots_are_taken_are_like_their_neighbours():
    points = np.random.default_rng(4).standard_normal((200, 5))
    for p in (1.5, 2.0):
        here, beside = LpBall(5, p), LpBall(5, p * (1 - 1e-12))
        for name in ("project", "argmax", "distance"):
            ours, theirs = getattr(here, name)(points), getattr(beside, name)(points)
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((0, 1.5), "dim must be an integer >= 1, got 0"),
        ((2, 1.0), "p must be > 1 and <= 2, got 1.0"),
        ((2, 2.1), "p must be > 1 and <= 2, got 2.1"),
        ((2, math.nan), "p must be > 1 and <= 2, got nan"),
        ((2, "1.5"), "p must be a number, got '1.5'"),
        ((2, 1.5, 0.0), "radius must be finite and > 0, got 0"),
        ((2, 1.5, math.inf), "radius must be finite and > 0, got inf"),
        ((2, 1.5, 1e-151), "radius must lie within 1e-150 .. 1e150, got 1e-151"),
        ((2, 1.5, 1e151), "radius must lie within 1e-150 .. 1e150"),
    ],
)
def test_it_is_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        LpBall(*settings)
