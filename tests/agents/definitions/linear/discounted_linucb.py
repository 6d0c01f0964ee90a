"""D-LinUCB, Russac et al. 2019, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, discount=0.995, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._discount, self._ridge, self._delta = discount, ridge, delta
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._longest, self._dim = radius, task.feature_norm, task.dim
        self._x, self._rewards = np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        dim, ridge = self._dim, self._ridge * np.eye(self._dim)
        weights = self._discount ** np.arange(len(self._x))[::-1]
        v = ridge + (weights * self._x.T) @ self._x
        w = ridge + (weights**2 * self._x.T) @ self._x
        theta = np.linalg.solve(v, self._x.T @ (weights * self._rewards))
        self.radii = self._radius
        if self._radius == "theory":
            total = np.sum(weights**2)  # (1 - g^(2(t-1))) / (1 - g^2)
            growth = dim * np.log(1 + self._longest**2 * total / (self._ridge * dim))
            noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
            self.radii = np.sqrt(self._ridge) * self._param_norm + noise
        solved = np.linalg.solve(v, x.T)
        self.mean, self.variance = x @ theta, np.sum(solved * (w @ solved), axis=0)
        return self.mean + self.radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._x = np.vstack([self._x, x[arm]])
        self._rewards = np.append(self._rewards, reward)
