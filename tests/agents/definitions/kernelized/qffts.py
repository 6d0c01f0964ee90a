"""QFF-TS, Mutný and Krause 2018, for one replicate.

A draw is a root of the inverse Gram matrix times normals. Which root does not change its law; here
it is the one of each form of the agent. There are no more features than arms.
"""

import itertools

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, covariance=None, ridge=None, noise_std=None, nodes=16,
        scale="posterior",
    ):  # fmt: skip
        self._draws, self._ridge, self._on_box = draws, ridge, task.on_box
        self._scale = np.sqrt(ridge) if scale == "posterior" else scale
        roots, weights = np.polynomial.hermite.hermgauss(nodes)
        grid = np.array(list(itertools.product(roots, repeat=task.dim)))
        of_grid = np.prod(list(itertools.product(weights, repeat=task.dim)), axis=1)
        half, middle = divmod(len(grid), 2)  # of two opposite frequencies one is kept
        self._frequencies = np.sqrt(2) * grid[: half + middle] / covariance.length_scale
        shares = of_grid[: half + middle] / np.sqrt(np.pi) ** task.dim
        shares[:half] *= 2
        self._scales = np.sqrt(covariance.variance * np.append(shares, shares[:half]))
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)
        self._root = np.eye(len(grid)) / np.sqrt(ridge)

    def features(self, x):
        phase = x @ self._frequencies.T
        sines = np.sin(phase[:, : len(self._scales) // 2])  # frequency 0 has none
        return self._scales * np.hstack([np.cos(phase), sines])

    def choose(self, x, t):
        z, pulled = self.features(x), self.features(self._pulled)
        gram = pulled.T @ pulled + self._ridge * np.eye(z.shape[1])
        root = np.linalg.inv(np.linalg.cholesky(gram)).T if self._on_box else self._root
        self.mean = z @ np.linalg.solve(gram, pulled.T @ self._rewards)
        return self.mean + self._scale * (z @ root @ self._draws.normal(t, z.shape[1]))

    def learn(self, x, arm, reward, t):
        self._pulled = np.vstack([self._pulled, x[arm]])
        self._rewards = np.append(self._rewards, reward)
        q = self._root.T @ self.features(x[[arm]])[0]
        s = np.sqrt(1 + q @ q)  # keeps root root^T = gram^-1
        self._root = self._root - np.outer(self._root @ q, q) / (s * (s + 1))
