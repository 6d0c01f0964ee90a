"""UCB2, Auer et al. 2002, Figure 2, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=0.001, noise_std=None):
        self._alpha, self._noise_std = alpha, noise_std
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.epochs = np.zeros(task.n_arms)
        self._arm, self._left = 0, 0  # the arm of the epoch, and its plays that remain

    def tau(self, epoch):
        return np.ceil((1 + self._alpha) ** epoch)

    def choose(self, x, t, mask):
        if self._left > 0 and not mask[self._arm]:  # the epoch ends, and does not count
            self.epochs[self._arm] -= 1
            self._left = 0
        new = mask & (self.pulls == 0)
        if self._left == 0 and new.any():
            return int(np.argmax(new))  # the first arm without a reward
        while self._left == 0:  # an epoch that rounding leaves without a play is skipped
            tau = self.tau(self.epochs)
            growth = np.maximum(np.log(np.e * self.pulls.sum() / tau), 0)
            bonus = np.sqrt((1 + self._alpha) * growth / (2 * tau))
            mean = self.sums / np.maximum(self.pulls, 1)
            index = np.where(mask, mean + 2 * self._noise_std * bonus, -np.inf)
            self._arm = int(np.argmax(index))
            self._left = -self.tau(self.epochs[self._arm])
            self.epochs[self._arm] += 1
            self._left += self.tau(self.epochs[self._arm])
        self._left -= 1
        return self._arm

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
