"""Descent by steps of one over the curvature, Rakhlin 2008, Lemma 2.3, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self._radius = task.action_set.radius
        self.point, self.curvature = np.zeros(task.dim), 0.0

    def choose(self, x, t):
        return self.point

    def learn(self, x, played, feedback, t):
        self.curvature += feedback["curvature"]
        if self.curvature > 0:
            moved = self.point - feedback["gradient"] / self.curvature
            self.point = moved * min(1, self._radius / max(np.linalg.norm(moved), 1e-300))
