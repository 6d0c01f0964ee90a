"""LinUCB with hybrid models, Li et al. 2010, Algorithm 2, for one replicate; z is x."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=1.0, ridge=1.0):
        self._alpha, dim, n_arms = alpha, task.dim, task.n_arms
        self._gram0, self._moment0 = ridge * np.eye(dim), np.zeros(dim)
        self.gram = np.tile(ridge * np.eye(dim), (n_arms, 1, 1))
        self._cross, self._moment = np.zeros((n_arms, dim, dim)), np.zeros((n_arms, dim))

    @property
    def theta(self):
        left = self._moment - self._cross @ self._beta
        return np.stack([np.linalg.solve(*model) for model in zip(self.gram, left, strict=True)])

    @property
    def _beta(self):
        return np.linalg.solve(self._gram0, self._moment0)

    def choose(self, x, t, ids=None):  # with ids: the features of all arms, there or not
        theta, inverse0, bounds = self.theta, np.linalg.inv(self._gram0), []
        for k in range(len(x)):
            z, inverse, cross = x[k], np.linalg.inv(self.gram[k]), self._cross[k]
            s = z @ inverse0 @ z - 2 * z @ inverse0 @ cross.T @ inverse @ x[k]
            s += x[k] @ inverse @ x[k]
            s += x[k] @ inverse @ cross @ inverse0 @ cross.T @ inverse @ x[k]
            bounds.append(z @ self._beta + x[k] @ theta[k] + self._alpha * np.sqrt(s))
        return np.array(bounds)

    def learn(self, x, k, reward, t, ids=None):
        self._change_shared(k, 1)
        self.gram[k] += np.outer(x[k], x[k])
        self._cross[k] += np.outer(x[k], x[k])
        self._moment[k] += reward * x[k]
        self._gram0 += np.outer(x[k], x[k])
        self._moment0 += reward * x[k]
        self._change_shared(k, -1)

    def _change_shared(self, k, sign):
        """Add the terms of arm k in the shared model, or subtract them if ``sign`` is -1."""
        own = self._cross[k].T @ np.linalg.inv(self.gram[k])
        self._gram0 += sign * own @ self._cross[k]
        self._moment0 += sign * own @ self._moment[k]
