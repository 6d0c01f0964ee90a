"""BKB, Calandriello et al. 2019, Algorithm 1, for one replicate. Variances are over the ridge."""

import numpy as np

INCLUSION = 5  # purpose of the draws


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, radius="posterior",
        delta=0.1, param_norm=None, qbar=5.0, accuracy=0.5,
    ):  # fmt: skip
        self._draws, self._task, self._covariance, self._ridge = draws, task, covariance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._delta, self._qbar, self._accuracy = radius, delta, qbar, accuracy
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)
        self._arms, self._dictionary = [], np.zeros((0, task.dim))

    def posterior(self, x):
        z, left = self.features(x)
        pulled = self.features(self._pulled)[0]
        gram = pulled.T @ pulled + self._ridge * np.eye(z.shape[1])
        mean = z @ np.linalg.solve(gram, pulled.T @ self._rewards)
        variance = np.sum(z * np.linalg.solve(gram, z.T).T, axis=1)
        return mean, variance + left / self._ridge

    def features(self, x):
        """z(x), and what it leaves of the prior variance."""
        values, vectors = np.linalg.eigh(self._covariance(self._dictionary, self._dictionary))
        kept = values > len(values) * np.finfo(float).eps * max(values, default=0)
        z = self._covariance(x, self._dictionary) @ vectors[:, kept] / np.sqrt(values[kept])
        return z, np.maximum(self._covariance.diagonal(x) - np.sum(z * z, axis=1), 0)

    def choose(self, x, t, mask):
        self.mean, self.variance = self.posterior(x)
        pulls, self.radius = len(self._rewards), self._radius
        if self._radius == "posterior":
            self.radius = 2 * np.sqrt(self._ridge)
        elif isinstance(self._radius, str):
            bias = np.sqrt(self._ridge) * self._param_norm
            total = np.sum(self.posterior(self._pulled)[1])
            if self._radius == "released":
                growth = total * np.log(max(pulls, 1)) + np.log(1 / self._delta)
            else:
                points = np.ones((1, x.shape[1])) if self._task.arms is None else self._task.arms
                kappa2 = np.max(self._covariance.diagonal(points))
                alpha = (1 + self._accuracy) / (1 - self._accuracy)
                growth = alpha * (1 + np.log(kappa2 * pulls / self._ridge + 1)) * total
                growth += 2 * np.log(1 / self._delta)
                bias *= 1 + 1 / np.sqrt(1 - self._accuracy)
            self.radius = bias + self._noise_std * np.sqrt(growth)
        if not pulls:
            if self._task.on_box:
                return self._draws.point(self._task.action_set, t)
            there = np.flatnonzero(mask)
            return int(there[int(self._draws.uniform(t)[0] * len(there))])
        return self.mean + self.radius * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        """With fixed arms all pulls of an arm share one draw, else every pull has its own."""
        pulls = len(self._rewards)
        fixed = self._task.arms is not None
        self._arms.append(arm if fixed else pulls)
        points = np.vstack([self._pulled, x[arm]])
        chance = np.minimum(1, self._qbar * self.posterior(points)[1])  # of before the pull
        self._pulled, self._rewards = points, np.append(self._rewards, reward)
        names, first, counts = np.unique(self._arms, return_index=True, return_counts=True)
        enters = 1 - (1 - chance[first]) ** counts
        drawn = self._draws.uniform(pulls + 1, max(names) + 1, purpose=INCLUSION)[names]
        self._dictionary = points[first[(drawn < enters) | (pulls == 0)]]
