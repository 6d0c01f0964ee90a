"""Discounted UCB, Garivier and Moulines 2011, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, discount=None, xi=0.5, noise_std=None):
        self._discount = 1 - 1 / (4 * np.sqrt(task.horizon)) if discount is None else discount
        self._xi, self._noise_std = xi, noise_std
        self._arms, self._rewards, self._n_arms = [], [], task.n_arms

    def choose(self, x, t, mask):
        learned = len(self._arms)
        weight = self._discount ** np.arange(learned)[::-1]
        played = np.array(self._arms, int)[:, None] == np.arange(self._n_arms)
        self.pulls, self.sums = weight @ played, (weight * self._rewards) @ played
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        bonus = np.sqrt(self._xi * np.log(self.pulls.sum()) / pulls)
        return self.sums / pulls + 4 * self._noise_std * bonus

    def learn(self, x, arm, reward, t):
        self._arms.append(arm)
        self._rewards.append(reward)
