"""LinMED, Balagopalan and Jun 2025, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, best_share=0.5, design_share=None, ridge=1.0, delta=0.1,
        noise_std=None, param_norm=None, radius="theory",
    ):  # fmt: skip
        of_design = (1 - best_share) / 2 if design_share is None else design_share
        self._draws, self._shares = draws, (of_design, best_share)
        self._ridge, self._delta, self._learned = ridge, delta, 0
        self._noise_std, self._param_norm, self._radius = noise_std, param_norm, radius
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    @property
    def theta(self):
        return np.linalg.solve(self.gram, self._moment)

    def choose(self, x, t, mask):
        there, x = np.flatnonzero(mask), x[mask]
        mean, radius = x @ self.theta, self._rho()
        best = int(np.argmax(mean))
        apart = x - x[best]
        norm = np.sum((apart @ np.linalg.inv(self.gram)) * apart, axis=1)
        norm[best] = 1.0  # its gap is 0
        f = np.exp(-((mean[best] - mean) ** 2) / (radius**2 * norm))
        of_design, of_best = self._shares
        of_best *= self._learned > 0
        q = of_design * design_of(np.sqrt(f)[:, None] * x)
        q += (1 - of_design - of_best) / len(x) + of_best * (np.arange(len(x)) == best)
        p = f * q / np.sum(f * q)
        return int(there[np.searchsorted(np.cumsum(p)[:-1], self._draws.uniform(t)[0], "right")])

    def _rho(self):
        if self._radius != "theory":
            return self._radius
        growth = np.linalg.slogdet(self.gram / self._ridge)[1]
        noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
        return np.sqrt(self._ridge) * self._param_norm + noise

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]
        self._learned += 1


def design_of(x, bound=2.0, negligible=1e-6):
    """An approximate G-optimal design (K,) of arms (K, d)."""
    basis, chosen = np.zeros((0, x.shape[1])), []
    while len(basis) < x.shape[1]:
        rest = x - (x @ basis.T) @ basis
        length = np.sum(rest**2, axis=1)
        if not length.max() > negligible * np.max(np.sum(x**2, axis=1)):
            break
        chosen.append(int(np.argmax(length)))
        basis = np.vstack([basis, rest[chosen[-1]] / np.sqrt(length.max())])
    parts, rank = x @ basis.T, len(basis)
    design = np.bincount(chosen, minlength=len(x)) / max(rank, 1)
    for _ in range(16 * rank):
        inverse = np.linalg.inv((parts.T * design) @ parts)
        leverage = np.sum((parts @ inverse) * parts, axis=1)
        i = int(np.argmax(leverage))
        if not leverage[i] > bound * rank:
            break
        share = (leverage[i] / rank - 1) / (leverage[i] - 1)
        design = (1 - share) * design + share * (np.arange(len(x)) == i)
    return design
