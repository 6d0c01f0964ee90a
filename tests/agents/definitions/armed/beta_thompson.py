"""Thompson sampling, Agrawal and Goyal 2012, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._draws = draws
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t):
        wins, losses = self.sums, self.pulls - self.sums
        arms = range(len(wins))
        return np.array([self._draws.beta(t, k, 1 + wins[k], 1 + losses[k]) for k in arms])

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
