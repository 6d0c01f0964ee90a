"""fOLS-GD and fRLS-GD, Korda et al. 2015, equations (2), (3), (9) and (10), for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, step=None, ridge=0.0, rho=4 / 3):
        self._draws, self._ridge = draws, ridge
        self._c = 4 * rho * task.dim if step is None else step
        self._bound = np.inf if getattr(task, "bound", None) is None else task.bound
        self._x, self._y, self._longest = [], [], 0.0  # L is the square of the longest row
        self.theta = np.zeros(task.dim)

    def choose(self, x, t):
        return np.clip(x @ self.theta, -self._bound, self._bound)

    def learn(self, x, prediction, y, t):
        self._x.append(x)
        self._y.append(y)
        self._longest = max(self._longest, x @ x)
        n = len(self._x)
        i = int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)
        limits = [self._c / (4 * (self._c + n))]
        limits += [1 / self._longest] if self._longest > 0 else []
        limits += [n / self._ridge] if self._ridge > 0 else []
        gradient = (self._x[i] @ self.theta - self._y[i]) * self._x[i]
        self.theta = self.theta - min(limits) * (gradient + self._ridge / n * self.theta)
