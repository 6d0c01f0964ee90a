"""BBKB, Calandriello et al. 2020, Algorithm 1, for one replicate. Variances are over the ridge."""

import numpy as np

INCLUSION = 5  # purpose of the draws


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, radius="posterior",
        delta=0.1, param_norm=None, qbar=5.0, threshold=2.0,
    ):  # fmt: skip
        self._draws, self._covariance, self._ridge = draws, covariance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._delta = radius, delta
        self._qbar, self._threshold = qbar, threshold
        self._x, self._arms, self._rewards = task.arms, [], []
        self._dictionary, self._spent, self._log_sum = [], 0.0, 0.0
        self.mean, self._start = self.posterior()  # those of the batch's start
        self._log_sum_before = 0.0

    def posterior(self):
        """Of all arms, from all pulls, in the span of the dictionary."""
        x, inducing = self._x, self._x[self._dictionary]
        values, vectors = np.linalg.eigh(self._covariance(inducing, inducing))
        kept = values > len(values) * np.finfo(float).eps * max(values, default=0)
        z = self._covariance(x, inducing) @ vectors[:, kept] / np.sqrt(values[kept])
        left = np.maximum(self._covariance.diagonal(x) - np.sum(z * z, axis=1), 0)
        pulled = z[self._arms]
        gram = pulled.T @ pulled + self._ridge * np.eye(z.shape[1])
        mean = z @ np.linalg.solve(gram, pulled.T @ np.array(self._rewards))
        variance = np.sum(z * np.linalg.solve(gram, z.T).T, axis=1)
        return mean, variance + left / self._ridge

    def choose(self, x, t, mask):
        self.variance, self.radius = self.posterior()[1], self._radius
        if self._radius == "posterior":
            self.radius = 2 * np.sqrt(self._ridge)
        elif self._radius == "released":
            growth = self._threshold * self._log_sum_before + np.log(1 / self._delta)
            bias = np.sqrt(self._ridge) * self._param_norm
            self.radius = bias + self._noise_std * np.sqrt(growth)
        if not self._arms:
            there = np.flatnonzero(mask)
            return int(there[int(self._draws.uniform(t)[0] * len(there))])
        return self.mean + self.radius * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._arms.append(arm)
        self._rewards.append(reward)
        self._spent += self._start[arm]
        self._log_sum += np.log(1 + self._start[arm])
        if 1 + self._spent > self._threshold:
            names, counts = np.unique(self._arms, return_counts=True)
            enters = 1 - (1 - np.minimum(1, self._qbar * self._start[names])) ** counts
            drawn = self._draws.uniform(len(self._arms), len(x), purpose=INCLUSION)[names]
            self._dictionary = list(names[(drawn < enters) | (len(self._arms) == 1)])
            self.mean, self._start = self.posterior()
            self._spent, self._log_sum_before = 0.0, self._log_sum
