"""PEGE, Rusmevichientong and Tsitsiklis 2010, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._set, self._basis = task.action_set, task.action_set.basis
        self._rewards = [[] for _ in self._basis]  # of each of its points
        self.theta, self.cycle = np.zeros(task.dim), 1

    @property
    def mean(self):
        return np.array([np.mean(rewards) if rewards else 0.0 for rewards in self._rewards])

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
        self.theta = np.linalg.solve(self._basis, self.mean)
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Late or not, it counts if the point is that of the decision, and explores."""
        _, place = self._at(t)
        explores = place < len(self._basis)
        if explores and np.allclose(point, self._basis[place], rtol=1e-6, atol=1e-30):
            self._rewards[place].append(reward)
