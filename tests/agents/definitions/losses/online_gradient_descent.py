"""Online gradient descent, Zinkevich 2003, section 2, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gradient_norm=None):
        self._gradient_norm, self._radius = gradient_norm, task.action_set.radius
        self.point, self._learned = np.zeros(task.dim), 0

    def choose(self, x, t):
        return self.point

    def learn(self, x, played, feedback, t):
        self._learned += 1
        step = self._radius / (self._gradient_norm * np.sqrt(self._learned))
        moved = self.point - step * feedback["gradient"]
        self.point = moved * min(1, self._radius / max(np.linalg.norm(moved), 1e-300))
