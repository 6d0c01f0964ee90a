"""Thompson sampling with Gaussian posteriors, Korda et al. 2013, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, noise_std=None):
        self._draws, self._noise_std = draws, noise_std
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        normal = self._draws.normal(t, len(pulls))
        return self.sums / pulls + self._noise_std / np.sqrt(pulls) * normal

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
