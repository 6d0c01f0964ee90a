"""Pending for one replicate: what an agent plays that has also learned its open decisions."""

import numpy as np


def choose(inner, x, t, mask):
    """What a definition chooses, given the mask if it takes one."""
    takes = "mask" in inner.choose.__code__.co_varnames
    return inner.choose(x, t, mask) if takes else inner.choose(x, t)


class Definition:
    def __init__(self, task, draws, *, agent, value=None, patience=None):
        self._task, self._value, self._patience = task, value, patience
        self._make = lambda: agent(task, draws)  # the definition of the inner agent
        self._learned, self._open = [], {}  # (x, action, reward, decision), decision: (x, action)

    def _informed(self):
        inner = self._make()
        for told in self._learned:
            inner.learn(*told)
        return inner

    def _estimate(self, x, action, t, mask):
        if self._task.family not in ("armed", "adversarial"):
            inner = self._informed()
            choose(inner, x, t, mask)
            return inner.mean[action] - 1e-9
        rewards = [r for _, arm, r, _ in self._learned if arm == action]
        if not rewards and self._value is not None:
            return self._value
        rewards = rewards or [r for *_, r, _ in self._learned]
        return np.mean(rewards) if rewards else 0.5 * self._task.bernoulli

    def choose(self, x, t, mask):
        acting = self._informed()
        for s, (shown, action) in sorted(self._open.items()):
            acting.learn(shown, action, self._estimate(shown, action, s, mask), s)
        chosen = choose(acting, x, t, mask)
        on_box = getattr(self._task, "on_box", False)  # of points the first is played
        if np.ndim(chosen):
            best = 0 if on_box else int(np.argmax(np.where(mask, chosen, -np.inf)))
        self._open[t] = x, best if np.ndim(chosen) else int(chosen)
        if self._patience is not None:
            self._open.pop(t - self._patience, None)
        return chosen

    def learn(self, x, action, reward, t):
        self._learned.append((x, action, reward, t))
        self._open.pop(t, None)
