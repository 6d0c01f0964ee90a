"""Epsilon-greedy play on logistic regressions, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, epsilon, learning_rate):
        self._draws, self._epsilon, self._rate = draws, epsilon, learning_rate
        self.weights = np.zeros((task.dim, task.n_labels))

    def choose(self, x, t):
        u, k = self._draws.uniform(t)[0], self.weights.shape[1]
        return int(u / self._epsilon * k) if u < self._epsilon else x @ self.weights

    def learn(self, x, played, reward, t):
        likely = 1 / (1 + np.exp(-x @ self.weights[:, played]))
        self.weights[:, played] += self._rate * (reward - likely) * x
