"""SOBA, Beygelzimer et al. 2017, in diagonal form, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma=0.05, ridge=1.0):
        self._draws, self._gamma = draws, gamma
        self.theta = np.zeros((task.dim, task.n_labels))
        self.gram, self.margins = np.full_like(self.theta, ridge), 0.0
        self.weights, self._guesses = self.theta / self.gram, {}

    def choose(self, x, t):
        u, k = self._draws.uniform(t)[0], self.weights.shape[1]
        self._guesses[t] = int(np.argmax(x @ self.weights))
        return int(u / self._gamma * k) if u < self._gamma else self._guesses[t]

    def learn(self, x, played, reward, t):
        guess, labels = self._guesses.pop(t), np.arange(self.weights.shape[1])
        if not reward:
            return
        p = (1 - self._gamma) * (played == guess) + self._gamma / len(labels)
        scores, rival, m = x @ self.weights, guess, 0.0
        if played == guess:
            rival = np.argmax(np.where(labels == guess, -np.inf, scores))
        g = np.outer(x, (labels == played) - 1.0 * (labels == rival)) / p
        if played == guess:
            delta = scores[rival] - scores[guess]
            m = (delta**2 + 2 * delta) / (p * (1 + p * np.sum(g**2 / self.gram)))
        if played == guess and self.margins + m < 0:
            return
        self.theta = self.theta + g
        self.gram = self.gram + p * g**2
        self.weights = self.theta / self.gram
        self.margins += m
