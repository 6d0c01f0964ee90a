"""Halving on projected rows, Kakade et al. 2008, Theorem 8, for one replicate."""

import itertools

import numpy as np

SIGNS = 1  # purpose of the draws


class Definition:
    def __init__(self, task, draws, *, complexity=2.0, delta=0.1, dim=None):
        if dim is None:
            c = 1 / (3 * np.sqrt(complexity))
            failures = 4 * task.n_labels * (task.horizon + 1) / delta
            dim = int(np.ceil(4 * np.log(failures) / (c**2 - c**3)))
        drawn = np.array([draws.uniform(j, dim, purpose=SIGNS) for j in range(task.dim)])
        self.signs = np.where(drawn < 1 / 2, 1.0, -1.0)
        bound = np.sqrt(72 * complexity / 2)
        size = int(np.floor(np.sqrt(2 * 72 * complexity * dim))) + 2
        values = np.linspace(-bound, bound, size)
        every = itertools.product(values, repeat=task.n_labels * dim)
        self._hypotheses = np.array(list(every)).reshape(-1, task.n_labels, dim)
        self.active = np.ones(len(self._hypotheses), bool)

    def predictions(self, x):
        row = x @ self.signs / np.sqrt(self.signs.shape[1])
        return np.argmax(self._hypotheses @ row, axis=1)

    def choose(self, x, t):
        votes = self.predictions(x)[self.active]
        return np.bincount(votes, minlength=self._hypotheses.shape[1])

    def learn(self, x, played, reward, t):
        if not reward:
            self.active = self.active & (self.predictions(x) != played)
            if not self.active.any():
                self.active[:] = True
