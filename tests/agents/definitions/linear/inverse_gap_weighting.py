"""SquareCB, Foster and Rakhlin 2020, Algorithm 1, with ridge regression, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma_scale=10.0, gamma_exponent=0.5, ridge=1.0):
        self._draws, self._scale, self._exponent = draws, gamma_scale, gamma_exponent
        self._gram, self._moment, self._learned = ridge * np.eye(task.dim), np.zeros(task.dim), 0

    def choose(self, x, t, mask):
        self.mean = x @ np.linalg.solve(self._gram, self._moment)
        there = np.flatnonzero(mask)
        best = there[np.argmax(self.mean[there])]
        others = there[there != best]  # in order; the best arm has the rest
        gamma = self._scale * (self._learned + 1) ** self._exponent
        p = 1 / (len(there) + gamma * (self.mean[best] - self.mean[others]))
        below = np.cumsum(p) > self._draws.uniform(t)[0]
        return int(others[np.argmax(below)] if below.any() else best)

    def learn(self, x, arm, reward, t):
        self._gram = self._gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
        self._learned += 1
