"""Discounted UCB, Garivier and Moulines 2011, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, discount, xi, noise_std):
        self._discount = 1 - 1 / (4 * np.sqrt(task.horizon)) if discount is None else discount
        self._xi, self._noise_std = xi, noise_std
        self._arms, self._rewards, self._n_arms = [], [], task.n_arms

    def choose(self, x, t):
        learned = len(self._arms)
        weight = self._discount ** np.arange(learned)[::-1]
        played = np.array(self._arms, int)[:, None] == np.arange(self._n_arms)
        self.pulls, self.sums = weight @ played, (weight * self._rewards) @ played
        if not self.pulls.all():
            return int(np.argmin(self.pulls > 0))  # the first arm without a reward
        bonus = np.sqrt(self._xi * np.log(self.pulls.sum()) / self.pulls)
        return self.sums / self.pulls + 4 * self._noise_std * bonus

    def learn(self, x, arm, reward, t):
        self._arms.append(arm)
        self._rewards.append(reward)
