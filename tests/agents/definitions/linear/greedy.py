"""Greedy play on a ridge regression, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, ridge=1.0):
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        self.theta = np.linalg.solve(self.gram, self._moment)
        self.mean = x @ self.theta
        return self.mean

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
