"""MOSS, Audibert and Bubeck 2009, and its anytime form, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, alpha=1.0, anytime=False, horizon=None, noise_std=None):
        self._alpha, self._anytime, self._noise_std = alpha, anytime, noise_std
        self._horizon = task.horizon if horizon is None else horizon
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        rounds = self.pulls.sum() if self._anytime else self._horizon
        level = np.maximum(np.log(rounds / (len(pulls) * pulls)), 0)
        of_unit = np.sqrt((1 + self._alpha) / 2 * level / pulls)  # for rewards in [0, 1]
        return self.sums / pulls + 2 * self._noise_std * of_unit

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
