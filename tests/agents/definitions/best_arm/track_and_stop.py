"""Track-and-Stop with D-Tracking, Garivier and Kaufmann 2016, for one replicate."""

import numpy as np

from tests.agents.definitions.armed.klucb import divergence as bernoulli
from tests.agents.definitions.best_arm.successive_rejects import best_of
from tests.agents.definitions.best_arm.top_two_thompson import is_clear


class Definition:
    def __init__(self, task, draws, *, noise_std=None):
        self._noise_std, self._delta = None if task.bernoulli else noise_std, task.delta
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.done = False

    def choose(self, x, t):
        if not self.pulls.all():
            return int(np.argmin(self.pulls > 0))
        mean, total = self.sums / self.pulls, self.pulls.sum()
        if self.done or len(mean) == 1:
            return self.recommend()
        if self.pulls.min() < np.sqrt(total) - len(mean) / 2:
            return int(np.argmin(self.pulls))
        if (mean == mean.max()).sum() > 1:
            return self.recommend()
        return total * fastest_shares(mean, self._noise_std) - self.pulls

    def learn(self, x, arm, reward, t):
        if not self.done:
            self.pulls[arm] += 1
            self.sums[arm] += reward
            self.done = is_clear(self.pulls, self.sums, self._delta, self._noise_std)

    def recommend(self):
        return best_of(self.pulls, self.sums, np.ones(len(self.pulls), bool))


def fastest_shares(mean, noise_std):
    """The shares of Theorem 5, by halving intervals; Bernoulli rewards without ``noise_std``."""

    def divergence(p, q):
        return bernoulli(p, q) if noise_std is None else (p - q) ** 2 / (2 * noise_std**2)

    best = int(np.argmax(mean))
    if noise_std is None:
        mean = np.clip(mean, 1e-9, 1 - 1e-9)
    p, q = mean[best], np.delete(mean, best)

    def sides(x):
        """The divergences of both means from the middle, with x pulls of the other arm per pull."""
        middle = (p + x * q) / (1 + x)
        return divergence(p, middle), divergence(q, middle)

    def too_few(x, y):
        own, other = sides(x)
        return own + x * other < y

    def ratios(y):
        low, high = np.zeros_like(q), np.ones_like(q)
        while (few := too_few(high, y)).any():
            low, high = np.where(few, high, low), np.where(few, 2 * high, high)
        x = (low + high) / 2
        while ((low < x) & (x < high)).any():  # numbers lie between
            few = too_few(x, y)
            low, high = np.where(few, x, low), np.where(few, high, x)
            x = (low + high) / 2
        return x

    low, high = 0.0, divergence(p, q).min()
    y = high / 2
    while low < y < high:
        own, other = sides(ratios(y))
        low, high = (low, y) if (own / other).sum() > 1 else (y, high)
        y = (low + high) / 2
    pulls = np.insert(ratios(y), best, 1.0)
    return pulls / pulls.sum()
