"""KL-UCB-switch, Garivier, Hadiji, Ménard and Stoltz 2022, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, horizon=None):
        self._share = (task.horizon if horizon is None else horizon) / task.n_arms
        self._switch = np.floor(self._share ** (1 / 5) + 1e-9)
        self._range = task.reward_range
        self._rewards = [[] for _ in range(task.n_arms)]
        self._bounds = np.full(task.n_arms, -np.inf)  # of arms with rewards

    def choose(self, x, t, mask):
        self.pulls = np.array([len(rewards) for rewards in self._rewards])
        self.sums = np.array([sum(rewards) for rewards in self._rewards])
        self.t = self.pulls.sum()  # rewards learned
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        return self._bounds

    def _bound(self, rewards):
        low, high = self._range
        scaled, n = (np.array(rewards) - low) / (high - low), len(rewards)
        level = max(np.log(self._share / n), 0) / n
        if n <= self._switch:
            return largest_mean(scaled, level)
        return scaled.mean() + np.sqrt(level / 2)

    def learn(self, x, arm, reward, t):
        self._rewards[arm].append(reward)
        self._bounds[arm] = self._bound(self._rewards[arm])


def largest_mean(scaled, level):
    """The largest q with K_inf(q) <= level."""
    low, high = scaled.mean(), 1.0
    for _ in range(60):
        q = (low + high) / 2
        low, high = (q, high) if q < 1 and k_inf(scaled, q) <= level else (low, q)
    return low


def k_inf(scaled, q):
    """The maximum over lambda of the mean of log(1 - lambda (x - q) / (1 - q)), a concave one."""
    slope, low, high = (scaled - q) / (1 - q), 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        rises = np.mean(-slope / np.maximum(1 - middle * slope, 1e-300)) > 0
        low, high = (middle, high) if rises else (low, middle)
    return np.mean(np.log(np.maximum(1 - low * slope, 1e-300)))
