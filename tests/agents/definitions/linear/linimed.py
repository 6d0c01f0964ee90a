"""LinIMED-1 and LinIMED-3, Bian and Tan 2024, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, variant=3, index_cap=30.0, ridge=1.0, delta=0.1, noise_std=None,
        param_norm=None, radius="theory",
    ):  # fmt: skip
        self._variant, self._c, self._ridge, self._delta = variant, index_cap, ridge, delta
        self._noise_std, self._param_norm, self._radius = noise_std, param_norm, radius
        self._gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t, mask):
        solved = np.linalg.solve(self._gram, x.T)
        self.mean, self.variance = solved.T @ self._moment, np.sum(x.T * solved, axis=0)
        radius = self._radius
        if radius == "theory":
            growth = np.linalg.slogdet(self._gram / self._ridge)[1]
            noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
            radius = np.sqrt(self._ridge) * self._param_norm + noise
        self.radii, width = radius, radius**2 * self.variance
        value = self.mean + np.sqrt(width) * (self._variant == 3)
        best = np.argmax(np.where(mask, value, -np.inf))
        gap = value[best] - value
        index = gap**2 / width - np.log(width)
        if self._variant == 3 and gap[mask].any():
            index[best] = min(np.log(self._c / np.max(gap[mask] ** 2)), index[best])
        return -index

    def learn(self, x, arm, reward, t):
        self._gram = self._gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
