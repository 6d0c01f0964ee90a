"""FollowTheRegularizedLeader against the minimisation that defines it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from agents.losses.follow_the_regularized_leader import FollowTheRegularizedLeader


@pytest.mark.parametrize(
    ("given", "ridge"), [({"ridge": 0.3}, 0.3), ({"ridge": 4.0}, 4.0), ({}, 1.0)]
)
def test_plays_the_projected_quotient(kind, ball, given, ridge, follow, nearest):
    dim, radius = ball
    agent = FollowTheRegularizedLeader(**given)

    def pull(past):
        total = np.zeros(dim)
        for x, g, h in zip(past.x, past.g, past.h, strict=True):
            total = total + (h * x - g)
        return total

    def expected(past):
        return nearest(pull(past) / (ridge + sum(past.h)), radius)

    def compare(past, i):
        np.testing.assert_allclose(agent.pull[i], pull(past), rtol=1e-13, atol=0)
        assert agent.curvature[i] == pytest.approx(sum(past.h), rel=1e-13, abs=0)

    follow(agent, kind, dim, radius, expected=expected, compare=compare)


@pytest.mark.parametrize("slope", [0.2, 3.0], ids=["inside", "on the sphere"])
def test_the_quotient_minimises_the_sum_over_the_ball(slope, task_of):
    """Solved numerically by SLSQP; at a slope of 3 the minimiser lies on the sphere."""
    rng = np.random.default_rng(5)
    ridge, radius, rounds, dim = 0.7, 1.3, 8, 3
    agent = FollowTheRegularizedLeader(ridge=ridge).reset(task_of(dim, radius))
    past = []
    drift = slope * np.ones(dim)
    for _ in range(rounds):
        x = agent.act(0)
        g, h = drift + rng.standard_normal(dim) * 0.3, rng.exponential()
        past.append((x, g, h))
        agent.observe(0, x, 0.0, feedback={"loss": 0.0, "gradient": g, "curvature": h})

    def below(u):
        total = ridge / 2 * u @ u
        for x, g, h in past:
            total += g @ (u - x) + h / 2 * (u - x) @ (u - x)
        return total

    inside = {"type": "ineq", "fun": lambda u: radius**2 - u @ u}
    best = minimize(
        below, np.zeros(dim), method="SLSQP", constraints=inside,
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    point = agent.act(0)
    np.testing.assert_allclose(point, best.x, atol=1e-6)
    assert below(point) <= below(nudged(best.x, radius)) + 1e-12
    assert (np.linalg.norm(point) > radius - 1e-12) == (slope == 3.0)


def nudged(u, radius):
    """``u``, brought into the ball where the solver left it by a rounding."""
    return u * min(1.0, radius / np.linalg.norm(u))


def test_on_squares_of_one_number_it_is_online_ridge_regression(task_of):
    """Losses (f x - y)² / 2 have gradient f (f x - y) and curvature f²: the leader is
    sum f y / (ridge + sum f²)."""
    rng = np.random.default_rng(8)
    ridge = 0.4
    agent = FollowTheRegularizedLeader(ridge=ridge).reset(task_of(1, 1e3))
    gram, moment = ridge, 0.0
    for _ in range(200):
        x = agent.act(0)
        np.testing.assert_allclose(x, [moment / gram], rtol=1e-11, atol=1e-13)
        f, y = rng.standard_normal(2) * [1.0, 5.0]
        error = f * x[0] - y
        feedback = {"loss": error**2 / 2, "gradient": [f * error], "curvature": f * f}
        agent.observe(0, x, 0.0, feedback=feedback)
        gram, moment = gram + f * f, moment + f * y


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan"), float("inf")])
def test_ridge_is_positive(ridge):
    with pytest.raises(ValueError, match=f"ridge must be finite and > 0, got {ridge}"):
        FollowTheRegularizedLeader(ridge=ridge)
