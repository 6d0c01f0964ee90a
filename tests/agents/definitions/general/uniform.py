"""Uniform play, for one replicate."""

import numpy as np

from banditgym.rounds.kinds import POINT, RANKING


class Definition:
    def __init__(self, task, draws):
        self._task, self._draws = task, draws

    def choose(self, x, t, mask):
        task = self._task
        if task.plays is POINT:
            return self._draws.point(task.action_set, t)
        if task.plays is RANKING:
            left = list(range(task.n_labels))
            return [left.pop(int(u * len(left))) for u in self._draws.uniform(t, task.slots)]
        there = np.flatnonzero(mask)
        return int(there[int(self._draws.uniform(t)[0] * len(there))])

    def learn(self, x, action, outcome, t):
        pass
