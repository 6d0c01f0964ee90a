"""fPEGE-GD, Korda et al. 2015, Algorithm 1 and Theorem 2, for one replicate."""

import numpy as np

SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, rho=4 / 3):
        self._draws, self._set, self._basis = draws, task.action_set, task.action_set.basis
        weakest = np.linalg.eigvalsh(self._basis.T @ self._basis)[0]
        self._c = 4 * rho * task.dim / weakest
        self._longest = np.max(np.sum(self._basis**2, axis=1))  # L
        self._rewards = [[] for _ in self._basis]  # of each of its points
        self._learned, self.theta, self.cycle = 0, np.zeros(task.dim), 1

    def _at(self, t):
        """The cycle of decision t, and its place: a row of the basis, or what is beyond them."""
        cycle = 1
        while t >= len(self._basis) + cycle:
            t, cycle = t - len(self._basis) - cycle, cycle + 1
        return cycle, t

    def choose(self, x, t):
        (_, place), (self.cycle, _) = self._at(t), self._at(t + 1)
        if place < len(self._basis):
            return self._basis[place]
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Late or not, it counts if the point is that of the decision, and explores."""
        _, place = self._at(t)
        dim = len(self._basis)
        if place >= dim or not np.allclose(point, self._basis[place], rtol=1e-6, atol=1e-30):
            return
        self._rewards[place].append(reward)
        while len(self._rewards[self._learned % dim]) > self._learned // dim:  # the next sample
            self._learned += 1
            n = self._learned
            i = int(self._draws.uniform(n, purpose=SAMPLES)[0] * n)
            row, step = self._basis[i % dim], self._c / (4 * (self._c + n))
            error = self._rewards[i % dim][i // dim] - row @ self.theta
            self.theta = self.theta + min(step, 1 / self._longest) * error * row
