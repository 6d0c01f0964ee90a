"""GP-UCB, Srinivas et al. 2010, Algorithm 1, for one replicate. Variances are over the ridge."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, radius="posterior",
        delta=0.1, param_norm=None,
    ):  # fmt: skip
        self._covariance, self._ridge = covariance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._delta = radius, delta
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)

    def posterior(self, x):
        k = self._covariance(self._pulled, x)
        gram = self._covariance(self._pulled, self._pulled) + self._ridge * np.eye(len(k))
        weights = np.linalg.solve(gram, k)
        variance = (self._covariance.diagonal(x) - np.sum(k * weights, axis=0)) / self._ridge
        return weights.T @ self._rewards, np.maximum(variance, 0)

    def choose(self, x, t):
        self.mean, self.variance = self.posterior(x)
        pulls, self.radius = len(self._rewards), self._radius
        if self._radius == "posterior":
            self.radius = 2 * np.sqrt(self._ridge)
        elif isinstance(self._radius, str):
            if self._radius == "released":
                total = np.sum(self.posterior(self._pulled)[1])
                growth = total * np.log(max(pulls, 1)) + np.log(1 / self._delta)
            else:
                among = self._covariance(self._pulled, self._pulled) / self._ridge
                growth = np.linalg.slogdet(among + np.eye(pulls))[1] + 2 * np.log(1 / self._delta)
            bias = np.sqrt(self._ridge) * self._param_norm
            self.radius = bias + self._noise_std * np.sqrt(growth)
        return self.mean + self.radius * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._pulled = np.vstack([self._pulled, x[arm]])
        self._rewards = np.append(self._rewards, reward)
