"""Thompson sampling by a Laplace approximation, Chapelle and Li 2011, for one replicate."""

import numpy as np

from tests.agents.definitions.logistic.ada_ofu_ecolog import minimiser, sigma


class Definition:
    def __init__(self, task, draws, *, ridge=1.0, scale=1.0):
        self._draws, self._scale = draws, scale
        self.theta, self.gram = np.zeros(task.dim), ridge * np.eye(task.dim)

    def choose(self, x, t):
        root = np.linalg.cholesky(self.gram)  # the draw has the covariance v^2 root^-T root^-1
        draw = np.linalg.solve(root.T, self._draws.normal(t, x.shape[1]))
        self.sampled = x @ (self.theta + self._scale * draw)
        return self.sampled

    def learn(self, x, arm, reward, t):
        self.theta = minimiser(self.theta, self.gram, x[arm], [reward], np.inf)
        p = sigma(x[arm] @ self.theta)
        self.gram = self.gram + p * (1 - p) * np.outer(x[arm], x[arm])
