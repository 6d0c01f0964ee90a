"""Epsilon-greedy play on logistic regressions, for one replicate.

Every label has one, or all arms (K, d) share one.
"""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, epsilon=0.05, learning_rate=None):
        self._draws, self._epsilon, self._rate = draws, epsilon, learning_rate
        self._shared = task.family == "logistic"
        self.weights = np.zeros(task.dim if self._shared else (task.dim, task.n_labels))

    def choose(self, x, t, mask):
        u, there = self._draws.uniform(t)[0], np.flatnonzero(mask)
        if u < self._epsilon:
            return int(there[int(u / self._epsilon * len(there))])
        return x @ self.weights

    def learn(self, x, played, reward, t):
        x, w = (x[played], self.weights) if self._shared else (x, self.weights[:, played])
        rate = self._rate
        if rate is None:
            rate = 0.5 / (x @ x) if x @ x > 1e-300 else 0.0
        w += rate * (reward - 1 / (1 + np.exp(-x @ w))) * x
