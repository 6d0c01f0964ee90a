"""KL-UCB++, Ménard and Garivier 2017, for one replicate."""

import numpy as np

from tests.agents.definitions.armed.klucb import largest_mean


class Definition:
    def __init__(self, task, draws, *, horizon=None, noise_std=None):
        self._horizon = task.horizon if horizon is None else horizon
        self._noise_std, self._bernoulli = noise_std, task.bernoulli
        self.pulls, self.sums, self.t = np.zeros(task.n_arms), np.zeros(task.n_arms), 0

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        y = self._horizon / (len(pulls) * pulls)
        g = np.log(np.maximum(y * (1 + np.log(np.maximum(y, 1)) ** 2), 1))
        mean = self.sums / pulls
        if not self._bernoulli:
            return mean + self._noise_std * np.sqrt(2 * g / pulls)
        return largest_mean(mean, g / pulls)

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
        self.t += 1  # rewards learned
