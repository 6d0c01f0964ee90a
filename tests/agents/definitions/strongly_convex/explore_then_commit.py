"""Exploration of a basis, and then its best point for ever, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, cycles):
        self._set, self._basis = task.action_set, task.action_set.basis
        self._rewards = [[] for _ in self._basis]  # of each of its points
        if cycles is None:  # the sum of both regrets is smallest, in half of the horizon at most
            noise = task.noise_std if task.subgaussian is None else task.subgaussian
            share = np.sqrt(task.horizon * (task.dim - 1) / (2 * task.dim))
            cycles = noise / (task.param_norm * task.feature_norm) * share
            cycles = max(1, round(min(cycles, task.horizon // (2 * task.dim))))
        self.theta, self.cycle, self._cycles = np.zeros(task.dim), 1, cycles

    @property
    def mean(self):
        return np.array([np.mean(rewards) if rewards else 0.0 for rewards in self._rewards])

    def choose(self, x, t):
        dim = len(self._basis)
        self.cycle = min((t + 1) // dim + 1, self._cycles)
        if t < self._cycles * dim:
            return self._basis[t % dim]
        self.theta = np.linalg.solve(self._basis, self.mean)
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Late or not, it counts if the point is that of the decision, and explores."""
        row = t % len(self._basis)
        explores = t < self._cycles * len(self._basis)
        if explores and np.allclose(point, self._basis[row], rtol=1e-6, atol=1e-30):
            self._rewards[row].append(reward)
