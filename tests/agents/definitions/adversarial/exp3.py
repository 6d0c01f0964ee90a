"""EXP3, Bubeck and Cesa-Bianchi 2012, Section 3.1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, scale=1.0):
        self._draws, self._range, self._scale = draws, task.reward_range, scale
        self.losses, self._t, self._kept = np.zeros(task.n_arms), 1, {}

    def choose(self, x, t):
        weights = np.exp(-self._eta() * (self.losses - self.losses.min()))
        self._kept[t] = weights / weights.sum()
        return int(np.argmax(self._draws.uniform(t)[0] < np.cumsum(self._kept[t])))

    def learn(self, x, arm, reward, t):
        low, high = self._range
        loss, p = (high - reward) / (high - low), np.maximum(self._kept.pop(t), 1e-300)
        self.losses[arm] += loss / (p[arm] + self._gamma())
        self._t += 1

    def _eta(self):
        k = len(self.losses)
        return self._scale * np.sqrt(np.log(k) / (k * self._t))

    def _gamma(self):
        return 0
