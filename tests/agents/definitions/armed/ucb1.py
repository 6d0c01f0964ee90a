"""UCB1, Auer et al. 2002, Figure 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, scale=1.0, noise_std=None):
        self._scale = (2 if scale == "theory" else scale) * noise_std
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        bonus = np.sqrt(2 * np.log(self.pulls.sum()) / pulls)
        return self.sums / pulls + self._scale * bonus

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
