"""OFUL, Abbasi-Yadkori et al. 2011, Figure 1 and Theorem 2, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._ridge, self._delta = ridge, delta
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._longest = radius, task.feature_norm
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)
        self._learned = 0

    def choose(self, x, t):
        dim, self.radii = x.shape[1], self._radius
        self.log_det = np.linalg.slogdet(self.gram / self._ridge)[1]
        if isinstance(self._radius, str):
            growth = self.log_det
            if self._radius == "closed":
                bound = self._learned * self._longest**2 / (self._ridge * dim)
                growth = dim * np.log(1 + bound)
            noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
            self.radii = np.sqrt(self._ridge) * self._param_norm + noise
        self.theta = np.linalg.solve(self.gram, self._moment)
        self.mean = x @ self.theta
        self.variance = np.sum(x * np.linalg.solve(self.gram, x.T).T, axis=1)
        return self.mean + self.radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
        self._learned += 1
