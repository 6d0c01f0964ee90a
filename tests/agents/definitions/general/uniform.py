"""Uniform play, for one replicate."""

from banditgym.rounds.kinds import POINT, RANKING


class Definition:
    def __init__(self, task, draws):
        self._task, self._draws = task, draws

    def choose(self, x, t):
        task = self._task
        if task.plays is POINT:
            return self._draws.point(task.action_set, t)
        if task.plays is RANKING:
            left = list(range(task.n_labels))
            return [left.pop(int(u * len(left))) for u in self._draws.uniform(t, task.slots)]
        if task.family in ("linear", "news"):
            count = len(x)
        else:
            count = task.n_labels if task.family == "multiclass" else task.n_arms
        return int(self._draws.uniform(t)[0] * count)

    def learn(self, x, action, outcome, t):
        pass
