"""Linear Thompson sampling on sets of points, Agrawal and Goyal 2013, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, scale="posterior", ridge=1.0, delta=0.1, noise_std=None):
        self._draws, self._scale, self._set = draws, scale, task.action_set
        self._delta, self._noise_std, self._learned = delta, noise_std, 0
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t):
        dim = self._set.dim
        self.scales = self._noise_std if self._scale == "posterior" else self._scale
        if self._scale == "theory":
            growth = 9 * dim * np.log((self._learned + 1) / self._delta)
            self.scales = self._noise_std * np.sqrt(growth)
        self.theta = np.linalg.solve(self.gram, self._moment)
        root = np.linalg.cholesky(self.gram)  # the draw has the covariance v^2 root^-T root^-1
        draw = np.linalg.solve(root.T, self._draws.normal(t, dim))
        return self._set.argmax((self.theta + self.scales * draw)[None])[0]

    def learn(self, x, point, reward, t):
        self.gram = self.gram + np.outer(point, point)
        self._moment = self._moment + reward * point
        self._learned += 1
