"""CBRAP, Yu et al. 2017, for one replicate: LinUCB on features projected at random."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, size=20, alpha=1.0, ridge=1.0):
        self._alpha = alpha
        normals = draws.normal(0, size * task.dim).reshape(size, task.dim)
        self.projection = normals / np.sqrt(size)
        self._gram, self._moment = ridge * np.eye(size), np.zeros(size)

    def choose(self, x, t):
        z = x @ self.projection.T
        self.mean = z @ np.linalg.solve(self._gram, self._moment)
        self.variance = np.sum(z * np.linalg.solve(self._gram, z.T).T, axis=1)
        return self.mean + self._alpha * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        z = self.projection @ x[arm]
        self._gram = self._gram + np.outer(z, z)
        self._moment = self._moment + reward * z
