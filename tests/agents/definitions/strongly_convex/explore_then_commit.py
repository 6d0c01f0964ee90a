"""Exploration of a basis, and then its best point for ever, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, cycles):
        self._set, self._basis, self._place = task.action_set, task.action_set.basis, 0
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
        if self._place < len(self._basis):
            return self._basis[self._place]
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Only a reward of the point that comes next counts; those of the best one are not used."""
        explores = self._place < len(self._basis)
        if not explores or not np.allclose(point, self.choose(x, t), rtol=1e-6, atol=1e-30):
            return
        self._rewards[self._place].append(reward)
        self._place += 1
        if self._place == len(self._basis) and self.cycle < self._cycles:
            self._place, self.cycle = 0, self.cycle + 1
        elif self._place == len(self._basis):
            self.theta = np.linalg.solve(self._basis, self.mean)
