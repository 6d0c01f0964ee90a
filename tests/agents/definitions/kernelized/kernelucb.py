"""KernelUCB, Valko et al. 2013, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, covariance=None, ridge=None, noise_std=None, alpha=1.0):
        self._covariance, self._ridge, self._alpha = covariance, ridge, alpha
        self._pulled, self._rewards = np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        k = self._covariance(self._pulled, x)
        gram = self._covariance(self._pulled, self._pulled) + self._ridge * np.eye(len(k))
        weights = np.linalg.solve(gram, k)
        left = np.maximum(self._covariance.diagonal(x) - np.sum(k * weights, axis=0), 0)
        self.mean, self.variance = weights.T @ self._rewards, left / self._ridge
        return self.mean + self._alpha / np.sqrt(self._ridge) * np.sqrt(left)

    def learn(self, x, arm, reward, t):
        self._pulled = np.vstack([self._pulled, x[arm]])
        self._rewards = np.append(self._rewards, reward)
