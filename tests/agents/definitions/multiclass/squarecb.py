"""SquareCB, Foster and Rakhlin 2020, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma_scale=10.0, gamma_exponent=0.5, learning_rate=0.1):
        self._draws, self._rate = draws, learning_rate
        self._scale, self._exponent, self._learned = gamma_scale, gamma_exponent, 0
        self.weights = np.zeros((task.dim, task.n_labels))

    def choose(self, x, t):
        predicted = np.clip(x @ self.weights, 0, 1)
        best, k = int(np.argmax(predicted)), len(predicted)
        gamma = self._scale * (self._learned + 1) ** self._exponent
        p = 1 / (k + gamma * (predicted[best] - predicted))
        others = [r for r in range(k) if r != best]  # in order; the best label has the rest
        below = np.cumsum(p[others]) > self._draws.uniform(t)[0]
        return others[np.argmax(below)] if below.any() else best

    def learn(self, x, played, reward, t):
        error = reward - x @ self.weights[:, played]
        self.weights[:, played] += self._rate / (1 + self._rate * x @ x) * error * x
        self._learned += 1
