"""Linear Thompson sampling, Agrawal and Goyal 2013, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, scale="posterior", ridge=1.0, delta=0.1, noise_std=None):
        self._draws, self._scale = draws, scale
        self._delta, self._noise_std, self._learned = delta, noise_std, 0
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        dim = x.shape[1]
        self.scales = self._noise_std if self._scale == "posterior" else self._scale
        if self._scale == "theory":
            growth = 9 * dim * np.log((self._learned + 1) / self._delta)
            self.scales = self._noise_std * np.sqrt(growth)
        self.theta = np.linalg.solve(self.gram, self._moment)
        root = np.linalg.cholesky(self.gram)  # the draw has the covariance v^2 root^-T root^-1
        draw = np.linalg.solve(root.T, self._draws.normal(t, dim))
        self.sampled = x @ (self.theta + self.scales * draw)
        return self.sampled

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
        self._learned += 1
