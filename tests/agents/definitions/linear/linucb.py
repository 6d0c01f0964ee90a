"""LinUCB, Chu et al. 2011, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=1.0, ridge=1.0):
        self._alpha = alpha
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        self.theta = np.linalg.solve(self.gram, self._moment)
        self.mean = x @ self.theta
        self.variance = np.sum(x * np.linalg.solve(self.gram, x.T).T, axis=1)
        return self.mean + self._alpha * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
