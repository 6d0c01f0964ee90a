"""epsilon_n-greedy, Auer et al. 2002, Figure 3, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, c=0.15, gap=0.1):
        self._draws, self._weight = draws, c * task.n_arms / gap**2
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        explores, arm = self._draws.uniform(t, 2)
        if explores < min(1, self._weight / (t + 1)):
            there = np.flatnonzero(mask)
            return int(there[int(arm * len(there))])
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        return self.sums / pulls

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
