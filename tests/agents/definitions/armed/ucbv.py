"""UCB-V, Audibert, Munos and Szepesvári 2009, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, zeta=1.0, c=1.0):
        low, high = task.reward_range
        self._zeta, self._c, self._b = zeta, c, high - low
        self._rewards = [[] for _ in range(task.n_arms)]

    def choose(self, x, t, mask):
        self.pulls = np.array([len(rewards) for rewards in self._rewards])
        self.sums = np.array([sum(rewards) for rewards in self._rewards])
        variance = np.array([np.var(rewards or [0]) for rewards in self._rewards])
        self.squares = self.pulls * variance
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        share = self._zeta * np.log(self.pulls.sum() + 1) / np.maximum(self.pulls, 1)
        mean = self.sums / np.maximum(self.pulls, 1)
        return mean + np.sqrt(2 * variance * share) + 3 * self._c * self._b * share

    def learn(self, x, arm, reward, t):
        self._rewards[arm].append(reward)
