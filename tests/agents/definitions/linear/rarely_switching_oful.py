"""Rarely Switching OFUL, Abbasi-Yadkori et al. 2011, Figure 3, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, growth=0.5, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._growth, self._ridge, self._delta = growth, ridge, delta
        self._noise_std, self._param_norm, self._radius = noise_std, param_norm, radius
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)
        self._log_det, self.switches = -np.inf, 0

    @property
    def theta(self):
        return np.linalg.solve(self.gram, self._moment)

    def choose(self, x, t, mask):
        log_det = np.linalg.slogdet(self.gram / self._ridge)[1]
        if log_det > self._log_det + np.log(1 + self._growth):
            self._log_det = log_det
            self.switches += 1
            inverse, radius = np.linalg.inv(self.gram), self._radius
            if radius == "theory":
                noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + log_det)
                radius = np.sqrt(self._ridge) * self._param_norm + noise
            norm = np.sqrt(np.sum((x @ inverse) * x, axis=1))
            b = np.argmax(np.where(mask, x @ self.theta + radius * norm, -np.inf))
            self.optimistic = self.theta + radius * (inverse @ x[b]) / norm[b]
        return x @ self.optimistic

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
