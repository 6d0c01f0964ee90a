"""LinUCB with disjoint models, Li et al. 2010, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=1.0, ridge=1.0):
        self._alpha, self._ridge = alpha, ridge
        self.gram = np.tile(ridge * np.eye(task.dim), (task.n_arms, 1, 1))
        self._moment = np.zeros((task.n_arms, task.dim))
        # In news: the arm whose model a slot has, and the decision that it was first learned from.
        self._whose, self._since = np.full(task.n_arms, -1), np.zeros(task.n_arms)

    @property
    def theta(self):
        return np.stack(
            [np.linalg.solve(*model) for model in zip(self.gram, self._moment, strict=True)]
        )

    def choose(self, x, t, ids=None):
        bounds = []
        for k in range(len(x)):
            gram, moment = self.gram[k], self._moment[k]
            if ids is not None and ids[k] != self._whose[k]:  # the slot has another arm's model
                gram, moment = self._ridge * np.eye(x.shape[1]), 0 * moment
            bonus = np.sqrt(x[k] @ np.linalg.solve(gram, x[k]))
            bounds.append(x[k] @ np.linalg.solve(gram, moment) + self._alpha * bonus)
        return np.array(bounds)

    def learn(self, x, k, reward, t, ids=None):
        if ids is not None and ids[k] != self._whose[k]:
            if t < self._since[k]:  # late: the model of another arm has begun
                return
            self.gram[k], self._moment[k] = self._ridge * np.eye(x.shape[1]), 0
            self._whose[k], self._since[k] = ids[k], t
        self.gram[k] += np.outer(x[k], x[k])
        self._moment[k] += reward * x[k]
