"""Online ridge regression, Azoury and Warmuth 2001, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, ridge=1.0):
        self._bound = np.inf if task.bound is None else task.bound
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        self.theta = np.linalg.solve(self.gram, self._moment)
        return np.clip(x @ self.theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self.gram = self.gram + np.outer(x, x)
        self._moment = self._moment + y * x
