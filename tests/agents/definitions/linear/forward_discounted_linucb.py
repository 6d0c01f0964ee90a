"""D-LinUCB with the forward estimate, after Ouhamma et al. 2021, for one replicate."""

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
        """Every arm is counted as played for a reward of 0."""
        dim, ridge, bounds = self._dim, self._ridge * np.eye(self._dim), []
        weights = self._discount ** np.arange(len(self._x))[::-1]
        total = np.sum(weights**2)  # (1 - g^(2(t-1))) / (1 - g^2)
        growth = dim * np.log(1 + (self._longest or 0) ** 2 * total / (self._ridge * dim))
        noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
        for arm in x:
            v = ridge + (weights * self._x.T) @ self._x + np.outer(arm, arm)
            w = ridge + (weights**2 * self._x.T) @ self._x + np.outer(arm, arm)
            radius = self._radius
            if radius == "theory":
                bias = np.sqrt(self._ridge) + np.linalg.norm(arm)
                radius = bias * self._param_norm + noise
            solved = np.linalg.solve(v, arm)
            mean = solved @ self._x.T @ (weights * self._rewards)
            bounds.append((mean, solved @ w @ solved, radius))
        self.mean, self.variance, radii = np.array(bounds).T
        self.radii = radii if self._radius == "theory" else self._radius
        return self.mean + radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._x = np.vstack([self._x, x[arm]])
        self._rewards = np.append(self._rewards, reward)
