"""Halving, Kakade et al. 2008, section 4 and Lemma 6, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, hypotheses):
        self._hypotheses = np.array(hypotheses)  # (m, k, d)
        self.active = np.ones(len(self._hypotheses), bool)

    def choose(self, x, t):
        votes = np.argmax(self._hypotheses @ x, axis=1)[self.active]
        return np.bincount(votes, minlength=self._hypotheses.shape[1])

    def learn(self, x, played, reward, t):
        if not reward:
            self.active = self.active & (np.argmax(self._hypotheses @ x, axis=1) != played)
            if not self.active.any():
                self.active[:] = True
