"""AdaptiveDescent against its formula, in decimals of 700 digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from agents.losses.adaptive_descent import AdaptiveDescent, to_add


def to_add_as_written(h, gradient_norm, radius):
    """(sqrt(h² + 8 G² / (3 D²)) - h) / 2 with digits to spare for the difference."""
    with localcontext(prec=700):
        h, g, d = Decimal(h), Decimal(gradient_norm), Decimal(radius)
        return ((h * h + 8 * g * g / (3 * d * d)).sqrt() - h) / 2


def norm(vector):
    """Without underflow of squares."""
    with localcontext(prec=50):
        return float(sum(Decimal(float(v)) ** 2 for v in vector).sqrt())


def test_steps_on_the_regularised_loss(kind, ball, follow, nearest):
    dim, radius = ball
    agent = AdaptiveDescent()
    known = {}  # lambda_1, lambda_2, .. of each history, which only grows

    def sequence(past):
        added = known.setdefault(id(past), [])
        for t in range(len(added), len(past.g)):
            so_far = sum(past.h[: t + 1]) + sum(added)
            added.append(float(to_add_as_written(so_far, norm(past.g[t]), radius)))
        return added

    def expected(past):
        if not past.x:
            return np.zeros(dim)
        added = sequence(past)
        divisor = sum(past.h) + sum(added)
        if divisor == 0:
            return past.own[-1]
        step = (past.g[-1] + added[-1] * past.x[-1]) / divisor
        return nearest(past.own[-1] - step, radius)

    def compare(past, i):
        assert agent.curvature[i] == pytest.approx(sum(past.h), rel=1e-13, abs=0)
        assert agent.added[i] == pytest.approx(sum(sequence(past)), rel=1e-12, abs=0)

    follow(agent, kind, dim, radius, expected=expected, compare=compare)


@pytest.mark.parametrize("radius", [0.2, 1.0, 30.0])
def test_what_is_added_solves_its_equation(radius):
    """3/2 D² lambda (h + lambda) = G², to a few roundings at any sizes; 0 without gradient."""
    rng = np.random.default_rng(2)
    for _ in range(500):
        h = rng.choice([0.0, 10.0 ** rng.uniform(-100, 100)])
        g = 10.0 ** rng.uniform(-100, 100)
        added = to_add(h, g, radius)
        left = (
            Decimal("1.5") * Decimal(radius) ** 2 * Decimal(added) * (Decimal(h) + Decimal(added))
        )
        assert float(left / Decimal(g) ** 2) == pytest.approx(1, rel=1e-14)
        assert to_add(h, 0.0, radius) == 0.0
    assert to_add(1e300, 1e200, radius) > 0
    assert to_add(0.0, 0.0, radius) == 0.0


@pytest.mark.parametrize("kind", ["curved", "linear", "late", "mixed"])
def test_the_halves_of_the_bound_are_equal(kind, task_of):
    """3/2 D² lambda_{1:t} = sum G² / (H_{1:s} + lambda_{1:s}), read off the agent's own state."""
    rng = np.random.default_rng(6)
    radius, n = 0.8, 4
    agent = AdaptiveDescent().reset(task_of(3, radius), n=n)
    halves = np.zeros(n)
    for t in range(300):
        x = agent.act(np.zeros(n, int))
        gradient = rng.standard_normal((n, 3)) * (rng.random((n, 1)) < 0.8)
        curvature = rng.exponential(size=n)
        if kind == "linear" or (kind == "late" and t < 20):
            curvature[:] = 0
        elif kind == "mixed":
            curvature *= rng.random(n) < 0.3
        feedback = {"loss": np.zeros(n), "gradient": gradient, "curvature": curvature}
        agent.observe(np.zeros(n, int), x, np.zeros(n), feedback=feedback)
        square = (gradient**2).sum(axis=1)
        total = agent.curvature + agent.added
        halves += np.where(square > 0, square / np.where(total > 0, total, 1), 0)
        np.testing.assert_allclose(1.5 * radius**2 * agent.added, halves, rtol=1e-12, atol=0)
    assert halves.min() > 1
