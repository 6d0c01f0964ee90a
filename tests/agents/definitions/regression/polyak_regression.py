"""The mean of gradient descent's iterates, Polyak and Juditsky 1992, for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, step=1.0, exponent=0.75, ridge=0.0):
        self._draws, self._step, self._exponent, self._ridge = draws, step, exponent, ridge
        self._bound = np.inf if getattr(task, "bound", None) is None else task.bound
        self._x, self._y, self._longest = [], [], 0.0  # L is the square of the longest row
        self._iterates, self.theta = [], np.zeros(task.dim)

    def choose(self, x, t):
        return np.clip(x @ self.theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x.append(x)
        self._y.append(y)
        self._longest = max(self._longest, x @ x)
        n = len(self._x)
        i = int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)
        limits = [self._step * n**-self._exponent]
        limits += [1 / self._longest] if self._longest > 0 else []
        limits += [n / self._ridge] if self._ridge > 0 else []
        last = self._iterates[-1] if self._iterates else 0 * x
        gradient = (self._x[i] @ last - self._y[i]) * self._x[i] + self._ridge / n * last
        self._iterates.append(last - min(limits) * gradient)
        self.theta = np.mean(self._iterates, axis=0)
