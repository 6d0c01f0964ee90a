"""SVRG, Johnson and Zhang 2013, on a growing number of samples, for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, learning_rate=0.1, ridge=1.0):
        self._draws, self._rate, self._ridge = draws, learning_rate, ridge
        self._bound = np.inf if getattr(task, "bound", None) is None else task.bound
        self._x, self._y, self._longest = [], [], 0.0  # L is the square of the longest row
        self._anchor, self._anchored, self.theta = np.zeros(task.dim), 0, np.zeros(task.dim)

    def choose(self, x, t):
        return np.clip(x @ self.theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x.append(x)
        self._y.append(y)
        self._longest = max(self._longest, x @ x)
        n, rows = len(self._x), np.array(self._x)
        if n >= max(2, 1.5 * self._anchored):
            self._anchor, self._anchored = self.theta, n
        total = rows.T @ (rows @ self._anchor - self._y)
        row = rows[int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)]
        limits = [self._rate / self._longest] if self._longest > 0 else []
        limits += [n / self._ridge] if self._ridge > 0 else []
        if limits:
            step = (row @ (self.theta - self._anchor)) * row + total / n
            self.theta = self.theta - min(limits) * (step + self._ridge / n * self.theta)
