"""Gradients that come late are stepped along from where the agent is by then."""

import numpy as np
import pytest

import agents
from agents.losses.adaptive_descent import to_add

RADIUS, G = 1.2, 5.0


class Plain:
    """One replicate: a point, and a step for (point played, gradient there, curvature)."""

    def __init__(self):
        self.point, self.t, self.curvature, self.added = np.zeros(3), 0, 0.0, 0.0
        self.pull = np.zeros(3)

    def move(self, point):
        length = np.linalg.norm(point)
        self.point = point if length <= RADIUS else point * (RADIUS / length)


class Gradient(Plain):
    def learn(self, x, g, h):
        self.t += 1
        self.move(self.point - RADIUS / (G * np.sqrt(self.t)) * g)


class Curvature(Plain):
    def learn(self, x, g, h):
        self.curvature += h
        if self.curvature > 0:
            self.move(self.point - g / self.curvature)


class Adaptive(Plain):
    def learn(self, x, g, h):
        self.curvature += h
        more = to_add(self.curvature + self.added, np.linalg.norm(g), RADIUS)
        self.added += more
        self.move(self.point - (g + more * x) / (self.curvature + self.added))


class Leader(Plain):
    def learn(self, x, g, h):
        self.pull += h * x - g
        self.curvature += h
        self.move(self.pull / (0.7 + self.curvature))


@pytest.mark.parametrize(
    ("agent", "plain"),
    [
        (agents.OnlineGradientDescent(gradient_norm=G), Gradient),
        (agents.CurvatureDescent(), Curvature),
        (agents.AdaptiveDescent(), Adaptive),
        (agents.FollowTheRegularizedLeader(ridge=0.7), Leader),
    ],
)
def test_late_gradients_in_any_order(agent, plain, task_of):
    rng, n = np.random.default_rng(3), 2
    agent.reset(task_of(3, RADIUS), n=n)
    references = [plain() for _ in range(n)]
    nothing, waiting = np.zeros(n, int), []
    for t in range(120):
        points = agent.act(nothing)
        expected = np.array([one.point for one in references])
        np.testing.assert_allclose(points, expected, atol=1e-11)
        gradients = rng.standard_normal((n, 3)) + 2 * points
        waiting.append((t, points, gradients, rng.exponential(size=n)))
        while len(waiting) > (20 if t < 100 else 0):
            decision, played, g, h = waiting.pop(rng.integers(len(waiting)))
            feedback = {"loss": np.ones(n), "gradient": g, "curvature": h}
            agent.observe(nothing, played, -np.ones(n), feedback=feedback, decision=decision)
            for i, one in enumerate(references):
                one.learn(played[i], g[i], h[i])
    assert np.ptp(expected) > 0.1
