"""GP-TS, Chowdhury and Gopalan 2017, Algorithm 2, for one replicate.

A draw of the posterior is a draw h of the prior, less what the posterior of h's own values at the
pulls, with noise, explains of it (Matheron's rule).
"""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, scale="posterior",
        delta=0.1, param_norm=None,
    ):  # fmt: skip
        self._draws, self._covariance, self._ridge = draws, covariance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._scale, self._delta = scale, delta
        self._arms, self._totals = [], {}  # the distinct arms in the order of their first pulls
        self._counts = {}
        among = covariance(task.arms, task.arms)
        if type(covariance).__name__ == "Linear":
            self._root = np.sqrt(covariance.variance) * task.arms
        else:  # with the jitter that makes the factor exist
            jitter = 2 * len(among) ** 2 * np.finfo(float).eps * covariance.variance
            self._root = np.linalg.cholesky(among + jitter * np.eye(len(among)))

    def choose(self, x, t):
        arms, counts = self._arms, np.array([self._counts[a] for a in self._arms])
        k, among = self._covariance(x[arms], x), self._covariance(x[arms], x[arms])
        gram = among + np.diag(self._ridge / counts) if arms else among
        means = np.array([self._totals[a] for a in arms]) / counts
        self.scale = np.sqrt(self._ridge) if self._scale == "posterior" else self._scale
        if self._scale == "theory":
            scaled = np.sqrt(np.outer(counts, counts)) * among / self._ridge
            log_det = np.linalg.slogdet(scaled + np.eye(len(arms)))[1]
            noise = self._noise_std * np.sqrt(log_det + 2 + 2 * np.log(2 / self._delta))
            self.scale = np.sqrt(self._ridge) * self._param_norm + noise
        m = self._root.shape[1]
        normals = self._draws.normal(t, m + len(arms))
        h = self._root @ normals[:m] / np.sqrt(self._ridge)
        noisy = h[arms] + normals[m:] / np.sqrt(counts)
        self.mean = k.T @ np.linalg.solve(gram, means)
        return self.mean + self.scale * (h - k.T @ np.linalg.solve(gram, noisy))

    def learn(self, x, arm, reward, t):
        if arm not in self._counts:
            self._arms.append(arm)
        self._counts[arm] = self._counts.get(arm, 0) + 1
        self._totals[arm] = self._totals.get(arm, 0) + reward
