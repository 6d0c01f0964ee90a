"""What the tests of loss agents share: feedback of every kind, and its history kept plainly."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from banditgym.action_sets import Ball
from banditgym.tasks import LossTask


@dataclass
class Past:
    """All that one replicate has observed: points, gradients there, curvatures.

    And the points that it chose itself in these rounds.
    """

    own: list = field(default_factory=list)
    x: list = field(default_factory=list)
    g: list = field(default_factory=list)
    h: list = field(default_factory=list)


def nearest(point, radius):
    """The nearest point of the ball."""
    length = float(np.linalg.norm(point))
    return point if length <= radius else radius / length * point


def task_of(dim, radius, gradient_norm=5.0):
    return LossTask(dim=dim, horizon=100, action_set=Ball(dim, radius), gradient_norm=gradient_norm)


def _gradient_and_curvature(kind, rng, dim, t):
    gradient = rng.standard_normal(dim) * rng.choice([0.1, 1.0, 5.0])
    curvature = rng.exponential()
    if kind == "linear" or (kind == "late" and t < 10) or (kind == "switch" and t >= 10):
        curvature = 0.0
    elif kind == "zero":
        gradient, curvature = np.zeros(dim), 0.0
    elif kind == "mixed":
        gradient *= rng.random() < 0.7
        curvature *= rng.random() < 0.5
    elif kind == "huge":
        scale = 10.0 ** rng.integers(-290, 290)
        gradient, curvature = gradient * min(scale, 1e150), curvature * scale
    elif kind == "tiny":
        curvature *= 1e-310  # below the normal numbers, where a quotient overflows
        gradient *= rng.random() < 0.5
    return gradient, curvature


def _follow(agent, kind, dim, radius, *, expected, compare, n=3, rounds=60):
    """Feed an agent by hand; every round check the state and what it plays.

    ``expected(past)`` is the next point from all that a replicate observed, ``compare(past, i)``
    looks at the state of replicate i. A round in five is hidden, and then NaN; a round in four is
    played elsewhere than the agent said, half of these on the sphere: gradients are where the
    round was played, and steps go from the agent's own points.
    """
    rng = np.random.default_rng([dim, len(kind), round(10 * radius)])
    agent.reset(task_of(dim, radius), n=n, seed=3)
    pasts = [Past() for _ in range(n)]
    for t in range(rounds):
        points = agent.act(np.zeros(n, int))
        assert points.shape == (n, dim)
        assert points.dtype == np.float64
        for i, past in enumerate(pasts):
            compare(past, i)
            np.testing.assert_allclose(
                points[i], expected(past), rtol=0, atol=1e-12 * radius, err_msg=f"round {t}, {i}"
            )
            assert np.linalg.norm(points[i]) <= radius * (1 + 1e-15)
        played = points.copy()
        if rng.random() < 0.25:
            played = rng.standard_normal((n, dim))
            played /= np.linalg.norm(played, axis=1, keepdims=True)
            played *= radius * rng.choice([1.0, 0.6])
        gradients, curvatures = np.empty((n, dim)), np.empty(n)
        for i in range(n):
            gradients[i], curvatures[i] = _gradient_and_curvature(kind, rng, dim, t)
        seen = rng.random(n) < 0.8
        feedback = {
            "loss": np.where(seen, 1.0, np.nan),
            "gradient": np.where(seen[:, None], gradients, np.nan),
            "curvature": np.where(seen, curvatures, np.nan),
        }
        agent.observe(np.zeros(n, int), played, np.zeros(n), feedback=feedback, observed=seen)
        for i in np.flatnonzero(seen):
            pasts[i].own.append(points[i].copy())
            pasts[i].x.append(played[i].copy())
            pasts[i].g.append(gradients[i])
            pasts[i].h.append(float(curvatures[i]))


@pytest.fixture
def follow():
    return _follow


@pytest.fixture(name="nearest")
def _nearest():
    return nearest


@pytest.fixture(name="task_of")
def _task_of():
    return task_of


@pytest.fixture(params=["curved", "linear", "late", "switch", "zero", "mixed", "huge", "tiny"])
def kind(request):
    return request.param


@pytest.fixture(params=[(1, 0.7), (2, 3.0), (5, 0.7)], ids=lambda p: f"d{p[0]}-r{p[1]}")
def ball(request):
    """Dimension and radius."""
    return request.param
