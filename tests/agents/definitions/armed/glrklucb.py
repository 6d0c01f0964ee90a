"""GLR-klUCB, Besson et al. 2019, as their published code has it, for one replicate."""

import numpy as np

from tests.agents.definitions.armed.klucb import divergence, largest_mean


class Definition:
    def __init__(self, task, draws, *, exploration=None, delta=None, **options):
        n_arms, horizon = task.n_arms, task.horizon
        usual = np.sqrt(n_arms * np.log(horizon) / horizon)
        self._exploration = usual if exploration is None else exploration
        self._delta = 1 / np.sqrt(horizon) if delta is None else delta
        self._every, self._everywhere = options["test_every"], options["restart"] == "global"
        self._gap = options["split_every"] or (5 if self._everywhere else 10)
        room = min(options["splits"], np.ceil(horizon / self._gap))
        self._splits = 2 * np.ceil(room / 2)
        self._rewards, self._ages, self.restarts = [[] for _ in range(n_arms)], np.zeros(n_arms), 0

    def choose(self, x, t, mask):
        self.pulls = np.array([len(rewards) for rewards in self._rewards])
        self.sums = np.array([sum(rewards) for rewards in self._rewards])
        alpha, n_arms = self._exploration * np.sqrt(self.restarts + 1), len(self.pulls)
        forced = t % max(int(n_arms / alpha), n_arms + 1)
        if 1 <= forced <= n_arms and mask[forced - 1]:
            return forced - 1
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        return largest_mean(self.sums / pulls, np.log(np.maximum(self._ages, 1)) / pulls)

    def learn(self, x, arm, reward, t):
        self._rewards[arm].append(reward)
        self._ages += 1
        if self._ages[arm] % self._every == 1 % self._every and self._changed(self._rewards[arm]):
            self.restarts += 1
            for k in range(len(self._rewards)) if self._everywhere else [arm]:
                self._rewards[k], self._ages[k] = [], 0

    def _changed(self, rewards):
        n, mean, gap = len(rewards), np.mean(rewards), self._gap
        while (n - 1) // gap >= self._splits:
            gap *= 2
        at = [(s, np.mean(rewards[:s]), np.mean(rewards[s:])) for s in range(1, n, gap)]
        ratios = [s * divergence(a, mean) + (n - s) * divergence(b, mean) for s, a, b in at]
        return max(ratios, default=0) > np.log(n**1.5 / self._delta)
