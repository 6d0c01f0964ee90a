"""SAG, Le Roux et al. 2012, on a growing number of samples, for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, learning_rate=0.0625, ridge=1.0):
        self._draws, self._rate, self._ridge = draws, learning_rate, ridge
        self._bound = np.inf if getattr(task, "bound", None) is None else task.bound
        self._x, self._y, self._longest = [], [], 0.0  # L is the square of the longest row
        self._residuals, self.theta = [], np.zeros(task.dim)  # each of its last evaluation

    def choose(self, x, t):
        return np.clip(x @ self.theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x.append(x)
        self._y.append(y)
        self._longest = max(self._longest, x @ x)
        n, dim = len(self._x), len(x)
        self._residuals.append(x @ self.theta - y)
        i = int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)
        self._residuals[i] = self._x[i] @ self.theta - self._y[i]
        limits = [n / self._ridge] if self._ridge > 0 else []
        if self._longest > 0:
            limits += [self._rate / self._longest, 2 * dim / (self._longest * n)]
        if limits:
            step = np.array(self._x).T @ np.array(self._residuals) / n
            self.theta = self.theta - min(limits) * (step + self._ridge / n * self.theta)
