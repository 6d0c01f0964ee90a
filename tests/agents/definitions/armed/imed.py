"""IMED, Honda and Takemura 2015, for one replicate."""

import numpy as np

from tests.agents.definitions.armed.klucb import divergence


class Definition:
    def __init__(self, task, draws, *, noise_std=None):
        self._noise_std, self._bernoulli = noise_std, task.bernoulli
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        mean = self.sums / pulls
        best = mean[mask].max()
        kl = (mean - best) ** 2 / (2 * self._noise_std**2)
        if self._bernoulli:
            kl = divergence(np.minimum(mean, best), best)
        return -(pulls * kl + np.log(pulls))

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
