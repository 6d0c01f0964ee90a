"""Epsilon-greedy play on a ridge regression, or on estimates of arms, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, epsilon=0.1, ridge=1.0, step=None, start=None):
        self._draws, self._epsilon = draws, epsilon
        self._armed, self._step, self._start = task.family in ("armed", "adversarial"), step, start
        if self._armed:
            self._rewards = [[] for _ in range(task.n_arms)]
        else:
            self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    def choose(self, x, t, mask):
        explores, arm = self._draws.uniform(t, 2)
        there = np.flatnonzero(mask)
        if self._armed:
            self.pulls = np.array([len(rewards) for rewards in self._rewards])
            mean = np.array([self._estimate(rewards) for rewards in self._rewards])
        else:
            self.theta = np.linalg.solve(self.gram, self._moment)
            mean = self.mean = x @ self.theta
        return int(there[int(arm * len(there))]) if explores < self._epsilon else mean

    def _estimate(self, rewards):
        if not rewards:
            return 1e9 if self._start is None else self._start
        if self._step is None:
            return sum(rewards) / len(rewards)
        first = rewards[0] if self._start is None else self._start
        weights = self._step * (1 - self._step) ** np.arange(len(rewards))[::-1]
        return weights @ rewards + (1 - weights.sum()) * first

    def learn(self, x, arm, reward, t):
        if self._armed:
            self._rewards[arm].append(reward)
        else:
            self.gram = self.gram + np.outer(x[arm], x[arm])
            self._moment = self._moment + reward * x[arm]
