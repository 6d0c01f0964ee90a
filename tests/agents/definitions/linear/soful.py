"""SOFUL, Kuzborskij et al. 2019, Algorithms 1 and 2, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, size=20, ridge=1.0, delta=0.1, noise_std=None, param_norm=None,
        radius="theory",
    ):  # fmt: skip
        self._ridge, self._delta, self._radius = ridge, delta, radius
        self._noise_std, self._param_norm = noise_std, param_norm
        self._sketch, self._moment = np.zeros((size, task.dim)), np.zeros(task.dim)
        self.shrinkage = 0.0

    def choose(self, x, t):
        dim, self.radii = x.shape[1], self._radius
        gram = self._ridge * np.eye(dim) + self._sketch.T @ self._sketch
        self.log_det = np.linalg.slogdet(gram / self._ridge)[1]
        if self._radius == "theory":
            excess = 1 + self.shrinkage / self._ridge
            growth = 2 * np.log(1 / self._delta) + self.log_det + dim * np.log(excess)
            noise = self._noise_std * np.sqrt(excess) * np.sqrt(growth)
            self.radii = noise + np.sqrt(self._ridge) * self._param_norm * excess
        self.theta = np.linalg.solve(gram, self._moment)
        self.mean = x @ self.theta
        self.variance = np.sum(x * np.linalg.solve(gram, x.T).T, axis=1)
        return self.mean + self.radii * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        """Frequent directions: the last row is free again once the rows have shrunk."""
        self._sketch[-1] = x[arm]
        size, dim = self._sketch.shape
        _, sigma, right = np.linalg.svd(self._sketch, full_matrices=False)
        smallest = sigma[-1] ** 2 if size <= dim else 0.0
        shrunk = np.sqrt(np.maximum(sigma**2 - smallest, 0))
        self._sketch = np.zeros((size, dim))
        self._sketch[: len(shrunk)] = shrunk[:, None] * right
        self.shrinkage += smallest
        self._moment = self._moment + reward * x[arm]
