"""Follow the regularised leader, Rakhlin 2008, equation (1), for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, ridge=1.0):
        self._ridge, self._radius = ridge, task.action_set.radius
        self.pull, self.curvature, self.point = np.zeros(task.dim), 0.0, np.zeros(task.dim)

    def choose(self, x, t):
        return self.point

    def learn(self, x, played, feedback, t):
        self.curvature += feedback["curvature"]
        self.pull = self.pull + feedback["curvature"] * played - feedback["gradient"]
        leader = self.pull / (self._ridge + self.curvature)
        self.point = leader * min(1, self._radius / max(np.linalg.norm(leader), 1e-300))
