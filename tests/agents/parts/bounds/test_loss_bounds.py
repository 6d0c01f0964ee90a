"""Bounds of losses by hand, where they are attained, and over simulated runs."""

import math

import numpy as np
import pytest

from agents.losses.adaptive_descent import AdaptiveDescent
from agents.losses.curvature_descent import CurvatureDescent
from agents.losses.follow_the_regularized_leader import FollowTheRegularizedLeader
from agents.losses.online_gradient_descent import OnlineGradientDescent
from agents.parts import bounds
from banditgym.action_sets import Ball
from banditgym.tasks import LossTask


def test_sequences_of_losses():
    """G 2, 0, 3; H 1, 0, 2; at D = 2, added a, 0, b with 6 a (1 + a) = 4, 6 b (3 + a + b) = 9."""
    g, h = np.array([2.0, 0.0, 3.0]), np.array([1.0, 0.0, 2.0])
    got = bounds.follow_the_regularized_leader(g, h, ridge=3.0, radius=2.0)
    np.testing.assert_allclose(got, 6 + np.array([0.5, 0.5, 0.5 + 0.75]), rtol=1e-15)
    np.testing.assert_allclose(bounds.curvature_descent(g, h), [2, 2, 3.5], rtol=1e-15)
    a = (math.sqrt(1 + 8 / 3) - 1) / 2
    b = (math.sqrt((3 + a) ** 2 + 6) - (3 + a)) / 2
    first, last = (2 + 2 * a) ** 2 / (1 + a) / 2, (3 + 2 * b) ** 2 / (3 + a + b) / 2
    expected = np.array([2 * a + first, 2 * a + first, 2 * (a + b) + first + last])
    np.testing.assert_allclose(bounds.adaptive_descent(g, h, radius=2.0), expected, rtol=1e-14)
    first, last = 4 / (1 + a), 9 / (3 + a + b)
    expected = np.array([6 * a + first, 6 * a + first, 6 * (a + b) + first + last])
    balanced = bounds.adaptive_descent_balanced(g, h, radius=2.0)
    np.testing.assert_allclose(balanced, expected, rtol=1e-14)
    np.testing.assert_allclose(balanced, [12 * a, 12 * a, 12 * (a + b)], rtol=1e-14)
    got = bounds.online_gradient_descent(np.array([1, 4]), gradient_norm=5.0, radius=2.0)
    np.testing.assert_allclose(got, [30, 60], rtol=1e-15)


def test_rounds_are_the_last_axis():
    """Every row of a batch is as if alone; whole numbers serve, and a curvature for all."""
    rng = np.random.default_rng(3)
    g, h = rng.integers(0, 3, (2, 4, 30)), rng.integers(0, 2, (2, 4, 30))
    for bound, known in (
        (bounds.follow_the_regularized_leader, {"ridge": 2.0, "radius": 2.0}),
        (bounds.curvature_descent, {}),
        (bounds.adaptive_descent, {"radius": 2.0}),
        (bounds.adaptive_descent_balanced, {"radius": 2.0}),
    ):
        got = bound(g, h, **known)
        assert got.shape == (2, 4, 30)
        for at in np.ndindex(2, 4):
            alone = bound(g[at].astype(float), h[at].astype(float), **known)
            np.testing.assert_array_equal(got[at], alone)
        np.testing.assert_array_equal(bound(g[0, 0], 2, **known), bound(g[0, 0], [2] * 30, **known))


def test_curvature_descent_has_no_bound_after_a_gradient_without_curvature():
    got = bounds.curvature_descent([0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(got, [0, 0, np.inf, np.inf])
    got = bounds.curvature_descent([0.0, 2.0, 2.0], [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(got, [0, 2, 3])


def test_without_gradients_the_adaptive_bound_is_0():
    np.testing.assert_array_equal(
        bounds.adaptive_descent([0.0, 0.0], [0.0, 1.0], radius=1.0), [0, 0]
    )
    np.testing.assert_array_equal(
        bounds.adaptive_descent_balanced([0.0, 0.0], [0.0, 1.0], radius=1.0), [0, 0]
    )


def run(agent, kind, radius, dim=3, rounds=200, seed=0):
    """Play l_t(x) = <c_t, x> + H_t / 2 ‖x - z_t‖²; the norms G_t, the H_t, and the regrets.

    Regrets after every round are against the best point of the ball then: the sum of the losses is
    isotropic, so that is the projection of (sum H z - sum c) / sum H, or the end of the ball.
    """
    rng = np.random.default_rng(seed)
    task = LossTask(dim=dim, horizon=rounds, action_set=Ball(dim, radius), gradient_norm=30.0)
    agent.reset(task)
    a, b, constant, paid = 0.0, np.zeros(dim), 0.0, 0.0
    norms, curvatures, regrets, against_leader = [], [], [], []
    for t in range(rounds):
        x = agent.act(0)
        c, z = rng.standard_normal((2, dim))
        h = 0.2 + rng.exponential()
        if kind == "linear" or (kind == "late" and t >= 20) or (kind == "mixed" and t % 3):
            h = 0.0
        if kind == "quadratic":
            c = np.zeros(dim)
        if kind == "late" and t >= 20:  # the adversary that curvature descent fails against
            c = np.where(x >= 0, 1.0, -1.0)
        gradient = c + h * (x - z)
        loss = c @ x + h / 2 * (x - z) @ (x - z)
        agent.observe(0, x, -loss, feedback={"loss": loss, "gradient": gradient, "curvature": h})
        a, b, constant, paid = a + h, b + h * z - c, constant + h / 2 * z @ z, paid + loss
        best = b / a if a > 0 else np.full(dim, np.inf)
        if not np.linalg.norm(best) <= radius:
            best = radius * b / np.linalg.norm(b)
        norms.append(np.linalg.norm(gradient))
        curvatures.append(h)
        regrets.append(paid - (a / 2 * best @ best - b @ best + constant))
        ridge = getattr(agent, "ridge", 0.0)
        if a + ridge > 0:
            leader = b / (a + ridge)
            against_leader.append(
                paid - ((a + ridge) / 2 * leader @ leader - b @ leader + constant)
            )
    return np.array(norms), np.array(curvatures), np.array(regrets), np.array(against_leader)


@pytest.mark.parametrize("kind", ["curved", "linear", "mixed", "late", "quadratic"])
@pytest.mark.parametrize("radius", [0.3, 2.0])
def test_regret_of_agents_of_losses_is_below_their_bound(kind, radius):
    """After every round. The first loss of "mixed" is curved, so nothing is infinite there."""
    for seed in range(4):
        for ridge in (0.5, 20.0):
            agent = FollowTheRegularizedLeader(ridge=ridge)
            g, h, regret, _ = run(agent, kind, radius, seed=seed)
            limit = bounds.follow_the_regularized_leader(g, h, ridge=ridge, radius=radius)
            assert (regret <= limit + 1e-9).all()
        g, h, regret, _ = run(CurvatureDescent(), kind, radius, seed=seed)
        limit = bounds.curvature_descent(g, h)
        assert np.isfinite(limit).all() == (kind != "linear")
        assert (regret <= limit + 1e-9).all()
        g, h, regret, _ = run(AdaptiveDescent(), kind, radius, seed=seed)
        limit = bounds.adaptive_descent(g, h, radius=radius)
        assert (regret <= limit + 1e-9).all()
        assert (limit <= bounds.adaptive_descent_balanced(g, h, radius=radius) + 1e-9).all()
        g, h, regret, _ = run(OnlineGradientDescent(gradient_norm=30.0), kind, radius, seed=seed)
        assert g.max() <= 30
        rounds = np.arange(1, g.size + 1)
        limit = bounds.online_gradient_descent(rounds, gradient_norm=30.0, radius=radius)
        assert (regret <= limit + 1e-9).all()


def test_on_quadratics_inside_the_ball_the_bounds_are_attained():
    """Where nothing is projected they are equalities: Lemma 2.3 against the mean of the centres,
    the leader's against its own objective, the least of sum of losses + ridge / 2 ‖u‖²."""
    radius, ridge = 50.0, 0.8
    g, h, regret, _ = run(CurvatureDescent(), "quadratic", radius)
    np.testing.assert_allclose(regret, bounds.curvature_descent(g, h), rtol=1e-11)
    g, h, _, regret = run(FollowTheRegularizedLeader(ridge=ridge), "quadratic", radius)
    limit = bounds.follow_the_regularized_leader(g, h, ridge=ridge, radius=radius)
    np.testing.assert_allclose(regret, limit - ridge / 2 * radius**2, rtol=1e-11, atol=1e-10)
