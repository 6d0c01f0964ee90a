"""KL-UCB, Garivier and Cappé 2011, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, c=0.0, noise_std=None):
        self._c, self._noise_std = c, noise_std
        # Of other rewards in [0, 1] no deviation is known, and what stands for it is R = 1/2.
        low, high = task.reward_range or (-np.inf, np.inf)
        unknown = task.noise_std is None and noise_std == 0.5
        self._bernoulli = task.bernoulli or (unknown and low >= 0 and high <= 1)
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        now = np.log(self.pulls.sum() + 1)
        level = (now + self._c * np.log(np.maximum(now, 1))) / pulls
        mean = self.sums / pulls
        if not self._bernoulli:
            return mean + self._noise_std * np.sqrt(2 * level)
        return largest_mean(mean, level)

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward


def divergence(p, q):
    """Of Bernoulli distributions; 0 log 0 is 0."""
    tiny = np.finfo(float).tiny
    of_0 = (1 - p) * np.log(np.maximum(1 - p, tiny) / np.maximum(1 - q, tiny))
    return p * np.log(np.maximum(p, tiny) / np.maximum(q, tiny)) + of_0


def largest_mean(mean, level):
    """The largest q with divergence(mean, q) <= level."""
    low, high = mean, np.ones_like(mean)
    for _ in range(60):
        q = (low + high) / 2
        fits = divergence(mean, q) <= level
        low, high = np.where(fits, q, low), np.where(fits, high, q)
    return low
