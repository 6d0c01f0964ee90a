"""Boltzmann exploration, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, temperature=0.1):
        self._draws, self._temperature = draws, temperature
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        mean = self.sums / np.where(self.pulls > 0, self.pulls, 1)
        weights = mask * np.exp(mean / self._temperature)
        return int(np.argmax(np.cumsum(weights / weights.sum()) > self._draws.uniform(t)[0]))

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
