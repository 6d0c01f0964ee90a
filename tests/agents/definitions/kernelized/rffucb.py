"""RFF-UCB, Rahimi and Recht 2007, for one replicate."""

import numpy as np

FREQUENCIES = 7  # purpose of the draws


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, radius="posterior",
        delta=0.1, param_norm=None, size=100,
    ):  # fmt: skip
        self._variance, self._ridge = covariance.variance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._delta = radius, delta
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)
        # Of a Matérn kernel the frequencies are Student's, with 2 nu degrees of freedom.
        freedom = round(2 * getattr(covariance, "nu", 0))
        normals = draws.normal(0, size // 2 * (task.dim + freedom), purpose=FREQUENCIES)
        normals = normals.reshape(size // 2, task.dim + freedom)
        self._frequencies = normals[:, : task.dim] / covariance.length_scale
        if freedom:
            chi_square = np.sum(normals[:, task.dim :] ** 2, axis=1, keepdims=True)
            self._frequencies = self._frequencies * np.sqrt(freedom / chi_square)

    def features(self, x):
        phase = x @ self._frequencies.T
        scale = np.sqrt(self._variance / len(self._frequencies))
        return scale * np.hstack([np.cos(phase), np.sin(phase)])

    def posterior(self, x):
        z, pulled = self.features(x), self.features(self._pulled)
        gram = pulled.T @ pulled + self._ridge * np.eye(z.shape[1])
        mean = z @ np.linalg.solve(gram, pulled.T @ self._rewards)
        return mean, np.sum(z * np.linalg.solve(gram, z.T).T, axis=1)

    def choose(self, x, t):
        self.mean, self.variance = self.posterior(x)
        self.radius = self._radius
        if self._radius == "posterior":
            self.radius = 2 * np.sqrt(self._ridge)
        elif self._radius == "released":
            total = np.sum(self.posterior(self._pulled)[1])
            growth = total * np.log(max(len(self._rewards), 1)) + np.log(1 / self._delta)
            bias = np.sqrt(self._ridge) * self._param_norm
            self.radius = bias + self._noise_std * np.sqrt(growth)
        return self.mean + self.radius * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        self._pulled = np.vstack([self._pulled, x[arm]])
        self._rewards = np.append(self._rewards, reward)
