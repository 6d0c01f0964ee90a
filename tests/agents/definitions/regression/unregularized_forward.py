"""The forward algorithm without a ridge, Ouhamma et al. 2021, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._bound = np.inf if task.bound is None else task.bound
        self._x, self._y = np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        """Least squares of least norm, in which the row counts as observed with the outcome 0."""
        rows, outcomes = np.vstack([self._x, x]), np.append(self._y, 0.0)
        theta = np.linalg.lstsq(rows, outcomes, rcond=1e-10)[0]
        return np.clip(x @ theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x, self._y = np.vstack([self._x, x]), np.append(self._y, y)
