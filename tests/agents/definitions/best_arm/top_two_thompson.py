"""Top-two Thompson sampling, Russo 2016, with the stopping rule of Garivier and Kaufmann 2016."""

import numpy as np

from tests.agents.definitions.armed.klucb import divergence as bernoulli
from tests.agents.definitions.best_arm.successive_rejects import best_of


class Definition:
    def __init__(self, task, draws, *, beta=0.5, noise_std=None):
        self._beta, self._delta, self._draws = beta, task.delta, draws
        self._noise_std = None if task.bernoulli else noise_std
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.done = False

    def choose(self, x, t):
        if not self.pulls.all():
            return int(np.argmin(self.pulls > 0))
        if self.done or len(self.pulls) == 1:
            return self.recommend()
        first = self._sample(t, 0)
        if self._draws.uniform(t, purpose=1)[0] < self._beta:
            return first
        others = (self._sample(t, number) for number in range(1, 1000))
        other = next((arm for arm in others if arm != first), None)
        if other is not None:
            return other
        return int(np.argmin(costs(self.pulls, self.sums, first, self._noise_std)))

    def _sample(self, t, number):
        n_arms = len(self.pulls)
        if self._noise_std is None:
            wins, losses = self.sums, self.pulls - self.sums
            pairs = enumerate(zip(wins, losses, strict=True), number * n_arms)
            return int(np.argmax([self._draws.beta(t, at, 1 + a, 1 + b) for at, (a, b) in pairs]))
        normals = self._draws.normal(t, (number + 1) * n_arms)[number * n_arms :]
        deviation = self._noise_std / np.sqrt(self.pulls)
        return int(np.argmax(self.sums / self.pulls + deviation * normals))

    def learn(self, x, arm, reward, t):
        if not self.done:
            self.pulls[arm] += 1
            self.sums[arm] += reward
            self.done = is_clear(self.pulls, self.sums, self._delta, self._noise_std)

    def recommend(self):
        return best_of(self.pulls, self.sums, np.ones(len(self.pulls), bool))


def costs(pulls, sums, best, noise_std):
    """Transport costs from an arm to all, infinite to itself; Bernoulli without ``noise_std``."""
    mean = sums / pulls
    middle = (sums[best] + sums) / (pulls[best] + pulls)
    if noise_std is None:
        own, other = bernoulli(mean[best], middle), bernoulli(mean, middle)
    else:
        own, other = ((m - middle) ** 2 / (2 * noise_std**2) for m in (mean[best], mean))
    found = np.where(mean < mean[best], pulls[best] * own + pulls * other, 0)
    found[best] = np.inf
    return found


def is_clear(pulls, sums, delta, noise_std):
    """Whether the transport costs from the best arm to all others are above the threshold."""
    if not pulls.all():
        return False
    best = int(np.argmax(sums / pulls))
    threshold = np.log((1 + np.log(pulls.sum())) / delta)
    return bool(costs(pulls, sums, best, noise_std).min() > threshold)
