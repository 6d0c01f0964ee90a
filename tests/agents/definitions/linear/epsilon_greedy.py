"""Epsilon-greedy play on a ridge regression, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, epsilon, ridge):
        self._draws, self._epsilon = draws, epsilon
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t, mask):
        self.theta = np.linalg.solve(self.gram, self._moment)
        self.mean = x @ self.theta
        explores, arm = self._draws.uniform(t, 2)
        there = np.flatnonzero(mask)
        return int(there[int(arm * len(there))]) if explores < self._epsilon else self.mean

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
