"""Successive rejects, Audibert, Bubeck and Munos 2010, Figure 3, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._budget = task.horizon
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)
        self.still = np.ones(task.n_arms, bool)

    def _end(self):
        """How often every remaining arm is pulled when the phase ends; 0 after the last phase."""
        n_arms, remaining = len(self.pulls), int(self.still.sum())
        if remaining == 1:
            return 0
        long = 0.5 + sum(1 / i for i in range(2, n_arms + 1))
        return np.ceil((self._budget - n_arms) / (long * remaining))

    def choose(self, x, t):
        short = self.still & (self.pulls < self._end())
        return int(np.argmax(short) if short.any() else np.flatnonzero(self.still)[-1])

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
        while self.still.sum() > 1 and (self.pulls[self.still] >= self._end()).all():
            arms = np.flatnonzero(self.still)[::-1]  # of equal arms the last is rejected
            self.still[arms[np.argmin(self.sums[arms] / self.pulls[arms])]] = False

    def recommend(self):
        return best_of(self.pulls, self.sums, self.still)


def best_of(pulls, sums, still):
    """The first arm with the largest mean reward among some; the first one if none has rewards."""
    means = [s / n if n and k else -np.inf for n, s, k in zip(pulls, sums, still, strict=True)]
    return int(np.argmax(means))
