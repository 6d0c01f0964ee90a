"""Discounted ridge regression, Russac et al. 2019, section 2, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, discount=0.995, ridge=1.0):
        self._discount, self._ridge = discount, ridge * np.eye(task.dim)
        self._bound = np.inf if task.bound is None else task.bound
        self._x, self._y = np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        weights = self._discount ** np.arange(len(self._y))[::-1]
        gram = self._ridge + (weights * self._x.T) @ self._x
        theta = np.linalg.solve(gram, self._x.T @ (weights * self._y))
        return np.clip(x @ theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x, self._y = np.vstack([self._x, x]), np.append(self._y, y)
