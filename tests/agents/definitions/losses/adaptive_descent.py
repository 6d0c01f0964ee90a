"""Adaptive gradient descent, Bartlett et al. 2007, Algorithm 1, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._radius = task.action_set.radius
        self.point, self.curvature, self.added = np.zeros(task.dim), 0.0, 0.0

    def choose(self, x, t):
        return self.point

    def learn(self, x, played, feedback, t):
        gradient = feedback["gradient"]
        self.curvature += feedback["curvature"]
        h, ratio = self.curvature + self.added, gradient @ gradient / self._radius**2
        more = (np.sqrt(h**2 + 8 / 3 * ratio) - h) / 2
        self.added += more
        if self.curvature + self.added > 0:
            step = (gradient + more * played) / (self.curvature + self.added)
            moved = self.point - step
            self.point = moved * min(1, self._radius / max(np.linalg.norm(moved), 1e-300))
