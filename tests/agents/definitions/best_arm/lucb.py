"""LUCB1, Kalyanakrishnan, Tewari, Auer and Stone 2012, for one replicate and one arm to find."""

import numpy as np

from tests.agents.definitions.best_arm.successive_rejects import best_of


class Definition:
    def __init__(self, task, draws, *, noise_std=None):
        self._noise_std, self._delta = noise_std, task.delta
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.done = False
        self._waiting = []  # the arms to pull before the bounds are looked at again

    def choose(self, x, t):
        if not self.pulls.all():
            return int(np.argmin(self.pulls > 0))
        return self._waiting[0]

    def learn(self, x, arm, reward, t):
        if self.done:
            return
        self.pulls[arm] += 1
        self.sums[arm] += reward
        del self._waiting[:1]
        if self._waiting or not self.pulls.all():
            return
        n_arms, t = len(self.pulls), self.pulls.sum()
        width = np.log(5 * n_arms * t**4 / (4 * self._delta)) / (2 * self.pulls)
        width = 2 * self._noise_std * np.sqrt(width)
        mean, h = self.sums / self.pulls, self.recommend()
        upper = np.where(np.arange(n_arms) == h, -np.inf, mean + width)
        other = int(np.argmax(upper)) if n_arms > 1 else h
        self.done = bool(upper[other] < mean[h] - width[h])
        self._waiting = [h, other]

    def recommend(self):
        return best_of(self.pulls, self.sums, np.ones(len(self.pulls), bool))
