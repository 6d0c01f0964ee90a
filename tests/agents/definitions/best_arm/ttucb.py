"""TTUCB, Jourdan and Degenne 2023, for one replicate."""

import numpy as np

from tests.agents.definitions.best_arm.successive_rejects import best_of
from tests.agents.definitions.best_arm.top_two_thompson import costs, is_clear


class Definition:
    def __init__(self, task, draws, *, beta=0.5, c=1.0, noise_std=None):
        self._beta, self._c, self._noise_std, self._delta = beta, c, noise_std, task.delta
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.led, self.own = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.done = False

    def _leader(self):
        width = self._noise_std * np.sqrt(2 * self._c * np.log(self.pulls.sum()) / self.pulls)
        return int(np.argmax(self.sums / self.pulls + width))

    def choose(self, x, t):
        if not self.pulls.all():
            return int(np.argmin(self.pulls > 0))
        leader = self._leader()
        if self.own[leader] <= self._beta * (self.led[leader] + 1) or len(self.pulls) == 1:
            return leader
        return int(np.argmin(costs(self.pulls, self.sums, leader, self._noise_std)))

    def learn(self, x, arm, reward, t):
        if self.done:
            return
        if self.pulls.all():
            leader = self._leader()
            self.led[leader] += 1
            self.own[leader] += arm == leader
        self.pulls[arm] += 1
        self.sums[arm] += reward
        self.done = is_clear(self.pulls, self.sums, self._delta, self._noise_std)

    def recommend(self):
        return best_of(self.pulls, self.sums, np.ones(len(self.pulls), bool))
