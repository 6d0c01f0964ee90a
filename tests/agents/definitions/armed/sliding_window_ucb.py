"""Sliding-window UCB, Garivier and Moulines 2011, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, window=None, xi=0.5, noise_std=None):
        best = max(int(2 * np.sqrt(task.horizon * np.log(task.horizon))), 1)
        self._window, self._xi = best if window is None else window, xi
        self._arms, self._rewards, self._n_arms = [], [], task.n_arms
        self._noise_std = noise_std

    def choose(self, x, t, mask):
        last = np.array(self._arms[-self._window :], int)[:, None] == np.arange(self._n_arms)
        self.pulls, self.sums = last.sum(axis=0), self._rewards[-self._window :] @ last
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward in the window
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        bonus = np.sqrt(self._xi * np.log(min(len(self._arms), self._window)) / pulls)
        return self.sums / pulls + 2 * self._noise_std * bonus

    def learn(self, x, arm, reward, t):
        self._arms.append(arm)
        self._rewards = np.append(self._rewards, reward)
