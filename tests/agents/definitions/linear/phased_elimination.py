"""Phased elimination, Lattimore and Szepesvári 2020, chapter 22, for one replicate."""

import numpy as np

from tests.agents.definitions.linear.linmed import design_of


class Definition:
    def __init__(self, task, draws, *, scale=1.0, delta=0.1, noise_std=None):
        self._scale, self._delta, self._noise_std = scale, delta, noise_std
        self.mean, self.active = np.zeros(task.n_arms), np.ones(task.n_arms, bool)
        self.phase = 0

    def choose(self, x, t, mask):
        if self.phase == 0:
            self._begin(x)
        needed = np.flatnonzero(mask & self.active & (self.pulls < self.need))
        if len(needed):
            return int(needed[0])
        there = mask & self.active if (mask & self.active).any() else mask
        return np.where(there, self.mean, -1e6)

    def learn(self, x, arm, reward, t):
        if self.active[arm]:
            self.pulls[arm] += 1
            self.sums[arm] += reward
            if (self.pulls >= self.need).all():
                self._end(x)
                self._begin(x)

    def _begin(self, x):
        self.phase += 1
        k, left = len(x), np.flatnonzero(self.active)
        self.pulls, self.sums = np.zeros(k, int), np.zeros(k)
        self.need = np.where(self.active, 2.0**53, 0.0)
        if len(left) > 1:
            design = design_of(x[left], 2.0, 1e-12)
            inverse = np.linalg.pinv((x[left].T * design) @ x[left], rcond=1e-12)
            largest = np.max(np.sum((x[left] @ inverse) * x[left], axis=1))
            bits = np.log(k * self.phase * (self.phase + 1) / self._delta)
            times = 2 * largest * design * (self._noise_std / self._epsilon()) ** 2 * bits
            self.need[left] = np.where(design > 0, np.maximum(1, np.ceil(times)), 0)

    def _end(self, x):
        gram = (x.T * self.pulls) @ x
        theta = np.linalg.lstsq(gram, x.T @ self.sums, rcond=1e-12)[0]
        self.mean = np.where(self.active, x @ theta, 0.0)
        behind = np.max(self.mean[self.active]) - self.mean
        self.active = self.active & (behind <= 2 * self._epsilon())

    def _epsilon(self):
        return self._scale * 2.0**-self.phase
