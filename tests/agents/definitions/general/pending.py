"""Pending for one replicate: what an agent plays that has also learned its open decisions."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, agent, value, patience):
        self._task, self._value, self._patience = task, value, patience
        self._make = lambda: agent(task, draws)  # the definition of the inner agent
        self._learned, self._open = [], {}  # (x, action, reward, decision), decision: (x, action)

    def _informed(self):
        inner = self._make()
        for told in self._learned:
            inner.learn(*told)
        return inner

    def _estimate(self, x, action, t):
        if self._task.family != "armed":
            inner = self._informed()
            inner.choose(x, t)
            return inner.mean[action] - 1e-9
        rewards = [r for _, arm, r, _ in self._learned if arm == action]
        if not rewards and self._value is not None:
            return self._value
        rewards = rewards or [r for *_, r, _ in self._learned]
        return np.mean(rewards) if rewards else 0.5 * self._task.bernoulli

    def choose(self, x, t):
        acting = self._informed()
        for s, (shown, action) in sorted(self._open.items()):
            acting.learn(shown, action, self._estimate(shown, action, s), s)
        chosen = acting.choose(x, t)
        on_box = getattr(self._task, "on_box", False)  # of points the first is played
        self._open[t] = x, 0 if on_box else int(np.argmax(chosen) if np.ndim(chosen) else chosen)
        if self._patience is not None:
            self._open.pop(t - self._patience, None)
        return chosen

    def learn(self, x, action, reward, t):
        self._learned.append((x, action, reward, t))
        self._open.pop(t, None)
