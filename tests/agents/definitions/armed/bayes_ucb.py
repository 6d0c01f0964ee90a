"""Bayes-UCB of Gaussian rewards, Kaufmann, Cappé and Garivier 2012, for one replicate."""

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


class Definition:
    def __init__(self, task, draws, *, noise_std=None):
        self._noise_std = noise_std
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        quantile = quantile_of_tail(1 / (self.pulls.sum() + 1))
        return self.sums / pulls + self._noise_std / np.sqrt(pulls) * quantile

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward


def quantile_of_tail(tail):
    """The z >= 0 above which the integral of the normal density is the tail."""
    low, high = 0.0, 9.0
    for _ in range(60):
        z = (low + high) / 2
        points = z + 6 * (_NODES + 1)  # of the interval [z, z + 12]
        above = 6 * _WEIGHTS @ np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
        low, high = (z, high) if above > tail else (low, z)
    return low
