"""Balls against the definition, in rational arithmetic where that decides."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from banditgym.action_sets import Ball

BALLS = [Ball(1), Ball(1, 2.5), Ball(2, 0.3), Ball(7, 1e100), Ball(40, 1e-100)]


def exact_norm(point):
    """Norm of a point in rational arithmetic, as numerator and denominator of its square root."""
    square = sum(Fraction(float(x)) ** 2 for x in point)
    shift = 2 ** (2 * 1200)
    return Fraction(math.isqrt(square.numerator * shift // square.denominator), 2**1200)


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("size", [1e-300, 0.5, 1.0, 1.0 + 1e-12, 3.0, 1e60, 1e150, 1e200])
def test_projection_and_distance_are_those_of_the_definition(ball, size):
    points = np.random.default_rng(0).standard_normal((5, ball.dim))
    points *= (size * min(ball.radius, 1e100)) / np.linalg.norm(points, axis=1, keepdims=True)
    projected, distance = ball.project(points), ball.distance(points)
    for point, nearest, far in zip(points, projected, distance, strict=True):
        norm, radius = exact_norm(point), Fraction(ball.radius)
        away = float(max(Fraction(0), norm - radius))
        assert abs(far - away) <= 1e-14 * float(norm)
        wanted = (
            point if norm <= radius else [float(Fraction(float(x)) * radius / norm) for x in point]
        )
        np.testing.assert_allclose(nearest, wanted, rtol=2e-14)
    assert (ball.distance(projected) <= 1e-14 * ball.radius * ball.dim).all()


@pytest.mark.parametrize("ball", BALLS)
def test_points_of_the_ball_and_projections_stay_bit_for_bit(ball):
    rng = np.random.default_rng(1)
    inside = ball.sample(rng, 200)
    np.testing.assert_array_equal(ball.project(inside), inside)
    assert ball.project(inside) is not inside
    once = ball.project(1e5 * ball.sample(rng, 5000))
    np.testing.assert_array_equal(ball.project(once), once)
    tiny = np.full((1, ball.dim), -5e-324)
    np.testing.assert_array_equal(ball.project(tiny), tiny)
    zero = np.zeros((1, ball.dim))
    np.testing.assert_array_equal(ball.project(-zero), zero)
    assert ball.distance(zero) == 0.0


def test_the_largest_numbers_are_projected_and_measured():
    largest = np.finfo(float).max
    ball = Ball(3, 2.0)
    points = np.array([[largest] * 3, [largest, -largest, 0.0], [0.0, 1e200, 0.0]])
    np.testing.assert_allclose(
        ball.project(points),
        [[2 / 3**0.5] * 3, [2**0.5, -(2**0.5), 0.0], [0.0, 2.0, 0.0]],
        rtol=1e-15,
    )
    np.testing.assert_array_equal(ball.distance(points), [np.inf, np.inf, 1e200])
    np.testing.assert_array_equal(Ball(1).project(np.array([[largest], [-largest]])), [[1], [-1]])


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200])
def test_argmax_is_the_best_point_in_a_direction(ball, size):
    rng = np.random.default_rng(2)
    direction = size * rng.choice([-3.0, 1.0, 2.0], (4, ball.dim))
    best = ball.argmax(direction)
    assert (ball.distance(best) <= 1e-13 * ball.radius).all()
    unit = direction / np.abs(direction).max()
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    # Subnormal directions have but a few digits of their own; scaling up keeps those they have.
    np.testing.assert_allclose((best * unit).sum(axis=1), ball.radius, rtol=1e-12)
    others = ball.sample(rng, 100)
    assert ((others @ unit.T) <= (best * unit).sum(axis=1) * (1 + 1e-12)).all()
    np.testing.assert_array_equal(ball.argmax(0.0 * direction), 0.0 * direction)


def test_samples_fill_the_ball():
    for ball in (Ball(1, 2.0), Ball(4, 0.5)):
        points = ball.sample(np.random.default_rng(3), 4000)
        assert points.shape == (4000, ball.dim)
        assert points.flags.c_contiguous
        share = (np.linalg.norm(points, axis=1) / ball.radius) ** ball.dim
        assert stats.kstest(share, "uniform").pvalue > 1e-4
        # The mean of a coordinate: deviation radius / sqrt(d + 2) / sqrt(4000).
        deviation = ball.radius / (ball.dim + 2) ** 0.5 / 4000**0.5
        assert np.abs(points.mean(axis=0)).max() < 5 * deviation


def test_a_projection_does_not_depend_on_its_neighbours():
    ball = Ball(9, 1.5)
    points = 2.0 * np.random.default_rng(4).standard_normal((50, 9))
    for operation in (ball.project, ball.distance, ball.argmax):
        alone = np.concatenate([operation(points[i : i + 1]) for i in range(50)])
        np.testing.assert_array_equal(operation(points), alone)
        np.testing.assert_array_equal(operation(np.asfortranarray(points)), alone)
        np.testing.assert_array_equal(operation(np.repeat(points, 2, axis=0)[::2]), alone)


def test_points_barely_outside_are_used_as_given():
    point = np.array([[1.0 + 9e-10, 0.0]])
    np.testing.assert_array_equal(Ball(2).read(point, 1), point)
    np.testing.assert_array_equal(Ball(2, 1e6).read(1e6 * point, 1), 1e6 * point)
    with pytest.raises(
        ValueError, match=r"of replicate 1 is not in the ball of radius 1.0: it lies"
    ):
        Ball(2).read([[1.0, 0.0], [1.0 + 1.1e-9, 0.0]], 2)
    with pytest.raises(ValueError, match="lies 0.0011 outside"):
        Ball(2, 1e6).read([[1e6 + 1.1e-3, 0.0]], 1)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            [[0.0, 0.0], [3.0, 4.0]],
            r"point array\(\[3., 4.\]\) of replicate 1 .*: it lies 4 outside",
        ),
        ([[0.0, 0.0], [1e200, 1e200]], r"it lies 1.41421e\+200 outside"),
    ],
)
def test_what_is_no_point_of_the_ball_is_refused_in_a_line(points, message):
    with pytest.raises(ValueError, match=message) as e:
        Ball(2).read(points, 2)
    assert "\n" not in str(e.value)
    assert len(str(e.value)) < 250


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((0,), "dim must be an integer >= 1, got 0"),
        ((2.0,), "dim must be an integer >= 1, got 2.0"),
        ((2, 0.0), "radius must be finite and > 0, got 0"),
        ((2, -1), "radius must be finite and > 0, got -1"),
        ((2, math.nan), "radius must be finite and > 0, got nan"),
        ((2, math.inf), "radius must be finite and > 0, got inf"),
        ((2, "1"), "radius must be a number, got '1'"),
    ],
)
def test_a_ball_is_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        Ball(*settings)
