"""The gradient bandit, Sutton and Barto 2018, section 2.8, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, step=0.1, baseline=True):
        self._draws, self._step, self._baseline = draws, step, baseline
        self.preferences, self._rewards = np.zeros(task.n_arms), []
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        weights = mask * np.exp(self.preferences)
        return int(np.argmax(np.cumsum(weights / weights.sum()) > self._draws.uniform(t)[0]))

    def learn(self, x, arm, reward, t):
        before = np.mean(self._rewards or [reward]) if self._baseline else 0
        weights = np.exp(self.preferences)
        played = np.arange(len(weights)) == arm
        gradient = (reward - before) * (played - weights / weights.sum())
        self.preferences = self.preferences + self._step * gradient
        self._rewards.append(reward)
        self.pulls[arm] += 1
        self.sums[arm] += reward
