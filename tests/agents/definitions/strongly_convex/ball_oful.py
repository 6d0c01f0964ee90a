"""OFUL on sets of points, Abbasi-Yadkori et al. 2011, Figure 1 and Theorem 2, for one replicate.

``x`` are points of the set; the point played has a bound at least as large as all of them.
"""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._ridge, self._delta, self._radius = ridge, delta, radius
        self._noise_std, self._param_norm = noise_std, param_norm
        self._gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        self.radii = self._radius
        if self._radius == "theory":
            log_det = np.linalg.slogdet(self._gram / self._ridge)[1]
            noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + log_det)
            self.radii = np.sqrt(self._ridge) * self._param_norm + noise
        self.theta = np.linalg.solve(self._gram, self._moment)
        width = np.sqrt(np.sum(x * np.linalg.solve(self._gram, x.T).T, axis=1))
        return x @ self.theta + self.radii * width

    def learn(self, x, point, reward, t):
        self._gram = self._gram + np.outer(point, point)
        self._moment = self._moment + reward * point
