"""Sets of every kind, and their gauges by definition."""

import numpy as np
import pytest

from banditgym.action_sets import Ball, Ellipsoid, LpBall, Sphere


def turned(dim, seed=0):
    """Orthonormal rows (d, d)."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((dim, dim)))[0]


def ellipsoid(dim, seed, ratio=30.0, size=1.0):
    """A turned ellipsoid of that ratio of semi-axes, the longest of length ``size``."""
    exponents = np.concatenate([[0.0, 1.0], np.random.default_rng(seed).random(dim)])[:dim]
    return Ellipsoid.of_axes(size * ratio**-exponents, turned(dim, seed))


SETS = [
    Sphere(1, 2.5),
    Sphere(2),
    Sphere(5, 0.3),
    Ball(1),
    Ball(2, 0.3),
    Ball(6, 2.0),
    Ellipsoid(np.array([[4.0]])),
    Ellipsoid.of_axes([0.5, 2.0]),
    Ellipsoid(np.array([[2.0, 0.9], [0.9, 0.5]])),
    ellipsoid(5, 1),
    ellipsoid(4, 2, ratio=1e5, size=1e-3),
    ellipsoid(3, 3, size=1e120),
    LpBall(1, 1.7),
    LpBall(2, 1.2, 3.0),
    LpBall(5, 1.5),
    LpBall(4, 1.05, 0.1),
    LpBall(3, 2.0, 1e100),
]


def gauge(action_set, points):
    """By which factor the set must be stretched to have each of ``points`` (.., d) in it."""
    points = np.asarray(points)
    match action_set:
        case Sphere() | Ball():
            return np.linalg.norm(points / action_set.radius, axis=-1)
        case LpBall():
            powers = np.abs(points / action_set.radius) ** action_set.p
            return powers.sum(axis=-1) ** (1 / action_set.p)
        case Ellipsoid():
            return np.linalg.norm(points @ (action_set.directions.T / action_set.axes), axis=-1)


def pytest_generate_tests(metafunc):
    if "any_set" in metafunc.fixturenames:
        metafunc.parametrize("any_set", SETS, ids=repr)


@pytest.fixture
def measure():
    return gauge
