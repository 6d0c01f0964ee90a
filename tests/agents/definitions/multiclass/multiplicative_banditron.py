"""The multiplicative Banditron, after Kakade et al. 2008, section 6, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma=0.05, learning_rate=None):
        self._draws, self._gamma = draws, gamma
        self._rate = gamma / task.n_labels if learning_rate is None else learning_rate
        self.theta = np.zeros((task.dim, task.n_labels))
        self.weights, self._guesses = np.sinh(self.theta), {}

    def choose(self, x, t):
        u, k = self._draws.uniform(t)[0], self.weights.shape[1]
        self._guesses[t] = int(np.argmax(x @ self.weights))
        return int(u / self._gamma * k) if u < self._gamma else self._guesses[t]

    def learn(self, x, played, reward, t):
        guess, labels = self._guesses.pop(t), np.arange(self.weights.shape[1])
        p = (1 - self._gamma) * (labels == guess) + self._gamma / len(labels)
        update = reward * (labels == played) / p - (labels == guess)
        self.theta += np.outer(x, update)
        self.weights = np.sinh(np.clip(self._rate * self.theta, -350, 350))
