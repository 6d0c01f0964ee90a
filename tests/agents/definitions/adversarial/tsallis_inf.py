"""Tsallis-INF, Zimmert and Seldin 2021, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, estimator="reduced_variance", scale=1.0):
        self._draws, self._range = draws, task.reward_range
        self._reduces = estimator == "reduced_variance"
        self._scale = scale * (4 if self._reduces else 2)
        self.losses, self._t, self._kept = np.zeros(task.n_arms), 1, {}

    def choose(self, x, t):
        eta, best = self._scale / np.sqrt(self._t), self.losses.min()
        low, high = best - 2 * np.sqrt(len(self.losses)) / eta, best - 2 / eta
        for _ in range(200):  # the sum of probabilities grows with x
            x = (low + high) / 2
            p = 4 * (eta * (self.losses - x)) ** -2.0
            low, high = (x, high) if p.sum() < 1 else (low, x)
        self._kept[t] = p
        return int(np.argmax(self._draws.uniform(t)[0] < np.cumsum(p)))

    def learn(self, x, arm, reward, t):
        low, high = self._range
        loss, p = (high - reward) / (high - low), np.maximum(self._kept.pop(t), 1e-300)
        b = 0.5 * (self._reduces & (p >= self._scale**2 / self._t))
        self.losses += (np.arange(len(p)) == arm) * (loss - b) / p + b
        self._t += 1
