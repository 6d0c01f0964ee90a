"""Exploration of a basis or of arms, and then the best point or arm for ever, for one replicate."""

import numpy as np


def Definition(task, draws, **given):
    return (_OfArms if task.family in ("armed", "adversarial") else _OfPoints)(task, draws, **given)


class _OfArms:
    def __init__(self, task, draws, *, cycles):
        share, log = task.horizon / task.n_arms, np.log(task.horizon)
        best = min(round(share ** (2 / 3) * (log / 2) ** (1 / 3)), int(share / 2))
        self._cycles = max(best, 1) if cycles is None else cycles
        self._rewards = [[] for _ in range(task.n_arms)]

    def choose(self, x, t, mask):
        explored = np.array([min(len(rewards), self._cycles) for rewards in self._rewards])
        if (explored[mask] < self._cycles).any():
            return -explored
        return np.array([sum(rewards[: self._cycles]) for rewards in self._rewards]) / self._cycles

    def learn(self, x, arm, reward, t):
        self._rewards[arm].append(reward)


class _OfPoints:
    def __init__(self, task, draws, *, cycles):
        self._set, self._basis = task.action_set, task.action_set.basis
        self._rewards = [[] for _ in self._basis]  # of each of its points
        if cycles is None:  # the sum of both regrets is smallest, in half of the horizon at most
            noise = task.noise_std if task.subgaussian is None else task.subgaussian
            share = np.sqrt(task.horizon * (task.dim - 1) / (2 * task.dim))
            cycles = noise / (task.param_norm * task.feature_norm) * share
            cycles = max(1, round(min(cycles, task.horizon // (2 * task.dim))))
        self.theta, self.cycle, self._cycles = np.zeros(task.dim), 1, cycles

    @property
    def mean(self):
        return np.array([np.mean(rewards) if rewards else 0.0 for rewards in self._rewards])

    def choose(self, x, t):
        dim = len(self._basis)
        self.cycle = min((t + 1) // dim + 1, self._cycles)
        if t < self._cycles * dim:
            return self._basis[t % dim]
        self.theta = np.linalg.solve(self._basis, self.mean)
        return self._set.argmax(self.theta[None])[0]

    def learn(self, x, point, reward, t):
        """Late or not, it counts if the point is that of the decision, and explores."""
        row = t % len(self._basis)
        explores = t < self._cycles * len(self._basis)
        if explores and np.allclose(point, self._basis[row], rtol=1e-6, atol=1e-30):
            self._rewards[row].append(reward)
