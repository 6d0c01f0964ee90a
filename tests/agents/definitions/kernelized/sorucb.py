"""SoR-UCB, Quiñonero-Candela and Rasmussen 2005, section 3, for one replicate."""

import numpy as np

DICTIONARY = 6  # purpose of the draws


class Definition:
    _corrected = False  # whether the variance has what the dictionary leaves unexplained

    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, radius="posterior",
        delta=0.1, param_norm=None, size=100,
    ):  # fmt: skip
        self._covariance, self._ridge = covariance, ridge
        self._noise_std, self._param_norm = noise_std, param_norm
        self._radius, self._delta = radius, delta
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)
        if task.on_box:
            drawn = draws.uniform(0, size * task.dim, purpose=DICTIONARY)
            self._dictionary = drawn.reshape(size, task.dim)
        else:  # the arms of the smallest uniforms
            drawn = draws.uniform(0, task.n_arms, purpose=DICTIONARY)
            self._dictionary = task.arms[np.argsort(drawn)[:size]]

    def features(self, x):
        """z(x), and what it leaves of the prior variance."""
        values, vectors = np.linalg.eigh(self._covariance(self._dictionary, self._dictionary))
        kept = values > len(values) * np.finfo(float).eps * values[-1]
        z = self._covariance(x, self._dictionary) @ vectors[:, kept] / np.sqrt(values[kept])
        return z, np.maximum(self._covariance.diagonal(x) - np.sum(z * z, axis=1), 0)

    def posterior(self, x):
        (z, left), pulled = self.features(x), self.features(self._pulled)[0]
        gram = pulled.T @ pulled + self._ridge * np.eye(z.shape[1])
        mean = z @ np.linalg.solve(gram, pulled.T @ self._rewards)
        variance = np.sum(z * np.linalg.solve(gram, z.T).T, axis=1)
        return mean, variance + self._corrected * left / self._ridge

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
