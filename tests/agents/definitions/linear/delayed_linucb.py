"""OTFLinUCB, Vernade et al. 2020, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, window=None, alpha=1.0, ridge=1.0, delta=0.1, noise_std=None,
        param_norm=None,
    ):  # fmt: skip
        if window is None:
            window = task.feedback.window + task.feedback.update_every - 1
        self._window, self._alpha, self._ridge, self._delta = window, alpha, ridge, delta
        self._noise_std, self._param_norm = noise_std, param_norm
        self._longest, self._dim = task.feature_norm, task.dim
        self._plays, self._others, self._answered, self._sum = [], [], set(), np.zeros(task.dim)

    def choose(self, x, t, mask):
        every, ridge, dim = [*self._plays, *self._others], self._ridge, self._dim
        gram = ridge * np.eye(dim) + sum(np.outer(play, play) for play in every)
        self.mean = x @ np.linalg.solve(gram, self._sum)
        self.variance = np.diag(x @ np.linalg.solve(gram, x.T))
        growth = dim * np.log(1 + len(every) * self._longest**2 / (ridge * dim))
        noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
        width = 2 * (np.sqrt(ridge) * self._param_norm + noise)
        for play in self._plays[max(0, t - self._window) :]:
            width += self._longest * self._param_norm * np.sqrt(play @ np.linalg.solve(gram, play))
        score = self.mean + self._alpha * width * np.sqrt(self.variance)
        self._plays.append(x[np.argmax(np.where(mask, score, -np.inf))])
        self.gram = gram + np.outer(self._plays[-1], self._plays[-1])
        self.theta = np.linalg.solve(self.gram, self._sum)
        return score

    def learn(self, x, arm, reward, t):
        if len(self._plays) - t > self._window + 1:
            return
        if t in self._answered or not np.array_equal(x[arm], self._plays[t]):
            self._others.append(x[arm])
        else:
            self._answered.add(t)
        self._sum = self._sum + reward * x[arm]
