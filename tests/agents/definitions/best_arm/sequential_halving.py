"""Sequential halving, Karnin, Koren and Somekh 2013, Algorithm 1, for one replicate."""

import numpy as np

from tests.agents.definitions.best_arm.successive_rejects import best_of


class Definition:
    def __init__(self, task, draws):
        self._budget, n_arms = task.horizon, task.n_arms
        self._phases = int(np.ceil(np.log2(n_arms)))
        self.pulls, self.sums = np.zeros(n_arms), np.zeros(n_arms)
        self.fresh_pulls, self.fresh_sums = np.zeros(n_arms), np.zeros(n_arms)
        self.still = np.ones(n_arms, bool)

    def _each(self):
        return self._budget // (int(self.still.sum()) * max(self._phases, 1))

    def choose(self, x, t):
        short = self.still & (self.fresh_pulls < self._each())
        return int(np.argmax(short) if short.any() else np.flatnonzero(self.still)[-1])

    def learn(self, x, arm, reward, t):
        for pulls, sums in (self.pulls, self.sums), (self.fresh_pulls, self.fresh_sums):
            pulls[arm] += 1
            sums[arm] += reward
        arms = np.flatnonzero(self.still)
        if (self.fresh_pulls[arms] < self._each()).any():
            return
        means = self.fresh_sums[arms] / self.fresh_pulls[arms]
        kept = np.argsort(-means, kind="stable")[: (len(arms) + 1) // 2]
        self.still[:] = False
        self.still[arms[kept]] = True
        self.fresh_pulls, self.fresh_sums = np.zeros_like(self.sums), np.zeros_like(self.sums)

    def recommend(self):
        return best_of(self.pulls, self.sums, self.still)
