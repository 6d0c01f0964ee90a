"""The forward algorithm, Vovk 2001, Azoury and Warmuth 2001, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, ridge=1.0):
        self._bound = np.inf if task.bound is None else task.bound
        self._gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        """The row counts as observed with the outcome 0."""
        theta = np.linalg.solve(self._gram + np.outer(x, x), self._moment)
        return np.clip(x @ theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._gram = self._gram + np.outer(x, x)
        self._moment = self._moment + y * x
