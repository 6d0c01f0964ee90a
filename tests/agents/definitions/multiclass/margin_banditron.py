"""The Banditron with a margin, after Kakade et al. 2008, section 6, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma=0.05, margin=1.0):
        self._draws, self._gamma, self._margin = draws, gamma, margin
        self.weights, self._guesses = np.zeros((task.dim, task.n_labels)), {}

    def choose(self, x, t):
        u, k = self._draws.uniform(t)[0], self.weights.shape[1]
        self._guesses[t] = int(np.argmax(x @ self.weights))
        return int(u / self._gamma * k) if u < self._gamma else self._guesses[t]

    def learn(self, x, played, reward, t):
        guess, labels = self._guesses.pop(t), np.arange(self.weights.shape[1])
        p = (1 - self._gamma) * (labels == guess) + self._gamma / len(labels)
        update = reward * (labels == played) / p - (labels == guess)
        scores = x @ self.weights
        second = np.argmax(np.where(labels == guess, -np.inf, scores))
        if reward and played == guess and scores[guess] - scores[second] < self._margin:
            update += ((labels == guess) - 1.0 * (labels == second)) / p[guess]
        self.weights += np.outer(x, update)
