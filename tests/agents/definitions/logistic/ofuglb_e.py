"""OFUGLB-e, the published code of Lee, Yun and Jun 2024, for one replicate."""

import numpy as np

from tests.agents.definitions.logistic.ada_ofu_ecolog import sigma
from tests.agents.definitions.logistic.glm_ucb import regression


class Definition:
    def __init__(self, task, draws, *, delta=0.05, param_norm=None, refit_every=1, radius="theory"):
        self._delta, self._norm, self._every, self._radius = delta, param_norm, refit_every, radius
        self.theta, self._x, self._r = np.zeros(task.dim), np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        s, dim, p = self._norm, x.shape[1], sigma(self._x @ self.theta)
        ridge = 1 / (8 * s**2 * (1 + s))
        self.gram = self._x.T @ (self._x * (p * (1 - p))[:, None]) + ridge * np.eye(dim)
        radius = self._radius
        if radius == "theory":
            length = (1 + s / 2) * (len(self._r) - 1)
            beta = np.log(1 / self._delta) + dim * np.log(max(np.e, 2 * np.e * s * length / dim))
            radius = np.sqrt(2 * (1 + s) * (1 + beta))
        bonus = np.sqrt(np.sum((x @ np.linalg.inv(self.gram)) * x, axis=1))
        self.radii = radius
        return x @ self.theta + radius * bonus

    def learn(self, x, arm, reward, t):
        self._x, self._r = np.vstack([self._x, x[arm]]), np.append(self._r, reward)
        if len(self._r) % self._every == 0:
            self.theta = regression(self._x, self._r, 0.0, self._norm)
