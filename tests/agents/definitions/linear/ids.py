"""Frequentist IDS and DIDS, Kirschner and Krause 2018, for one replicate."""

import numpy as np


class Definition:
    def __init__(
        self, task, draws, *, gaps="difference", information="full", deterministic=False, ridge=1.0,
        delta=0.1, noise_std=None, param_norm=None, radius="theory",
    ):  # fmt: skip
        self._draws, self._gaps, self._information = draws, gaps, information
        self._deterministic, self._ridge, self._delta = deterministic, ridge, delta
        self._noise_std, self._param_norm, self._radius = noise_std, param_norm, radius
        self.gram, self._moment = ridge * np.eye(task.dim), np.zeros(task.dim)

    @property
    def theta(self):
        return np.linalg.solve(self.gram, self._moment)

    def choose(self, x, t, mask):
        there, x = np.flatnonzero(mask), x[mask]
        mean, inverse = x @ self.theta, np.linalg.inv(self.gram)
        gap, information = self._gap(x, mean, inverse), self._informed(x, mean, inverse)
        if self._deterministic:
            return int(there[np.argmin(_ratio(gap, information))])
        b = int(np.argmin(gap))
        shares = np.linspace(0.0, 1.0, 20_001)[:, None]  # the minimum by trying
        expected = (1 - shares) * gap[b] + shares * gap
        ratio = _ratio(expected, (1 - shares) * information[b] + shares * information)
        other = int(np.argmin(ratio.min(axis=0)))
        p = float(shares[np.argmin(ratio[:, other]), 0])
        return int(there[other if self._draws.uniform(t)[0] < p else b])

    def _rho(self):
        if self._radius != "theory":
            return self._radius
        growth = np.linalg.slogdet(self.gram / self._ridge)[1]
        noise = self._noise_std * np.sqrt(2 * np.log(1 / self._delta) + growth)
        return np.sqrt(self._ridge) * self._param_norm + noise

    def _bounds(self, x, mean, inverse):
        return mean + self._rho() * np.sqrt(np.sum((x @ inverse) * x, axis=1))

    def _gap(self, x, mean, inverse):
        if self._gaps == "value":
            return np.max(self._bounds(x, mean, inverse)) - mean
        return np.array(
            [np.max(self._bounds(x - one, (x - one) @ self.theta, inverse)) for one in x]
        )

    def _informed(self, x, mean, inverse):
        if self._information == "full":
            return np.log(1 + np.sum((x @ inverse) * x, axis=1))
        w = x[np.argmax(self._bounds(x, mean, inverse))]
        after = [w @ np.linalg.solve(self.gram + np.outer(one, one), w) for one in x]
        return np.log(w @ inverse @ w) - np.log(after)

    def learn(self, x, arm, reward, t):
        self.gram = self.gram + np.outer(x[arm], x[arm])
        self._moment = self._moment + reward * x[arm]


def _ratio(gap, information):
    """The squared gap per information; without information infinite, and 0 where the gap is 0."""
    known = np.where(information > 0, information, 1.0)
    return np.where(gap == 0, 0.0, np.where(information > 0, gap**2 / known, np.inf))
