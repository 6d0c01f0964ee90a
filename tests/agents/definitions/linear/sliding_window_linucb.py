"""SW-LinUCB, Cheung et al. 2019, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, window=200, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._window, self._ridge, self._delta = window, ridge, delta
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._longest, self._dim = radius, task.feature_norm, task.dim
        self._x, self._rewards = np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        self.radii = self._radius
        if self._radius == "theory":
            bound = (1 + self._window * self._longest**2 / self._ridge) / self._delta
            noise = self._noise_std * np.sqrt(self._dim * np.log(bound))
            self.radii = np.sqrt(self._ridge) * self._param_norm + noise
        gram = self._ridge * np.eye(self._dim) + self._x.T @ self._x
        self.mean = x @ np.linalg.solve(gram, self._x.T @ self._rewards)
        self.variance = np.sum(x * np.linalg.solve(gram, x.T).T, axis=1)
        return self.mean + self.radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._x = np.vstack([self._x, x[arm]])[-self._window :]
        self._rewards = np.append(self._rewards, reward)[-self._window :]
