"""Confidit, Crammer and Gentile 2011, in diagonal form, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=1.0, ridge=4.0):
        self._alpha = alpha
        self.weights = np.zeros((task.dim, task.n_labels))
        self.gram = np.full_like(self.weights, ridge)

    def choose(self, x, t):
        return x @ self.weights + self._alpha * np.sqrt(x**2 @ (1 / self.gram))

    def learn(self, x, played, reward, t):
        before, sign = self.gram[:, played].copy(), 1 if reward else -1
        self.gram[:, played] += x**2
        moment = before * self.weights[:, played] + sign * x
        self.weights[:, played] = moment / self.gram[:, played]
