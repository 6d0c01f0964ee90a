"""The Banditron that shows r labels, after Kakade et al. 2008, section 6, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws, *, gamma=0.05):
        self._draws, self._gamma, self._slots = draws, gamma, task.slots
        self.weights, self._tops = np.zeros((task.dim, task.n_labels)), {}

    def choose(self, x, t):
        u, r, k = self._draws.uniform(t)[0], self._slots, self.weights.shape[1]
        order = np.argsort(-(x @ self.weights), kind="stable")
        self._tops[t], shown = order[:r], order[:r].copy()
        if u < self._gamma:  # below gamma the number is uniform again: a slot and a label
            slot, label = divmod(int(u / self._gamma * r * (k - r)), k - r)
            shown[slot] = np.sort(order[r:])[label]
        return shown

    def learn(self, x, shown, click, t):
        top, r, k = self._tops.pop(t), self._slots, self.weights.shape[1]
        q_low, q_top = self._gamma / (k - r), 1 - self._gamma / r
        inside = click in top
        if click >= 0 and not inside:
            self.weights[:, click] += x / q_low
        for label in top:
            self.weights[:, label] -= (1 - inside / q_top) / r * x
