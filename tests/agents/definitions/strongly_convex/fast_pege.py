"""fPEGE-GD, Korda et al. 2015, Algorithm 1 and Theorem 2, for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, rho):
        self._draws, self._set, self._basis = draws, task.action_set, task.action_set.basis
        weakest = np.linalg.eigvalsh(self._basis.T @ self._basis)[0]
        self._c = 4 * rho * task.dim / weakest
        self._longest = np.max(np.sum(self._basis**2, axis=1))  # L
        self._rewards, self._place = [], 0
        self.theta, self.cycle = np.zeros(task.dim), 1

    def choose(self, x, t):
        if self._place < len(self._basis):
            return self._basis[self._place]
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Only a reward of the point that comes next counts; those of best points are not used."""
        if not np.allclose(point, self.choose(x, t), rtol=1e-6, atol=1e-30):
            return
        if self._place < len(self._basis):
            self._rewards.append(reward)
            n = len(self._rewards)
            i = int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)
            row, step = self._basis[i % len(self._basis)], self._c / (4 * (self._c + n))
            error = self._rewards[i] - row @ self.theta
            self.theta = self.theta + min(step, 1 / self._longest) * error * row
        self._place += 1
        if self._place == len(self._basis) + self.cycle:
            self._place, self.cycle = 0, self.cycle + 1
