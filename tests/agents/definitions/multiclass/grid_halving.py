"""Halving over a grid, Kakade et al. 2008, Theorem 7, for one replicate."""

import itertools

import numpy as np


class Definition:
    def __init__(self, task, draws, *, complexity=2.0):
        shape, bound = (-1, task.n_labels, task.dim), np.sqrt(complexity / 2)
        size = int(np.floor(np.sqrt(2 * complexity * task.dim))) + 2  # of 2 B sqrt(d)
        values = np.linspace(-bound, bound, size)
        every = itertools.product(values, repeat=task.n_labels * task.dim)
        self._hypotheses = np.array(list(every)).reshape(shape)
        self.active = np.ones(len(self._hypotheses), bool)

    def choose(self, x, t):
        votes = np.argmax(self._hypotheses @ x, axis=1)[self.active]
        return np.bincount(votes, minlength=self._hypotheses.shape[1])

    def learn(self, x, played, reward, t):
        if not reward:
            self.active = self.active & (np.argmax(self._hypotheses @ x, axis=1) != played)
            if not self.active.any():
                self.active[:] = True
