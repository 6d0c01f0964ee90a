"""OFUL with the forward estimate, Ouhamma et al. 2021, Algorithm 3, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._ridge, self._delta, self._radius = ridge, delta, radius
        self._noise_std, self._param_norm = noise_std, param_norm
        self._gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)
        self._learned, self._longest = 0, 0.0

    def choose(self, x, t):
        """Every arm is counted as played for a reward of 0."""
        dim, bounds = x.shape[1], []
        for arm in x:
            gram, length = self._gram + np.outer(arm, arm), np.linalg.norm(arm)
            width = np.sqrt(arm @ np.linalg.solve(gram, arm))
            radius = self._radius
            if isinstance(radius, str):
                reach = max(length, self._longest)
                growth = dim * np.log(1 + (self._learned + 1) * reach**2 / (self._ridge * dim))
                noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
                bias = length * width if radius == "tight" else length
                radius = (np.sqrt(self._ridge) + bias) * self._param_norm + noise
            mean = arm @ np.linalg.solve(gram, self._moment)
            bounds.append((mean, width**2, radius))
        self.mean, self.variance, radii = np.array(bounds).T
        self.radii = radii if isinstance(self._radius, str) else self._radius
        return self.mean + radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._gram = self._gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
        self._learned += 1
        self._longest = max(self._longest, np.linalg.norm(x[arm]))
