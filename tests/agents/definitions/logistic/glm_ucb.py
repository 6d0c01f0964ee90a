"""GLM-UCB, Filippi et al. 2010, as in the code of Faury et al., for one replicate."""

import numpy as np

from tests.agents.definitions.logistic.ada_ofu_ecolog import loss, sigma


def regression(x, r, ridge, norm=np.inf):
    """The logistic regression of rows x with rewards r, in a ball.

    On the sphere it is that with a larger ridge, which is bisected.
    """

    def total(theta, penalty):
        return loss(x @ theta, r).sum() + penalty * theta @ theta / 2

    def best(penalty):
        theta = np.zeros(x.shape[1])
        for _ in range(100):
            p = sigma(x @ theta)
            hessian = x.T @ (x * (p * (1 - p))[:, None]) + penalty * np.eye(len(theta))
            step = np.linalg.solve(hessian, x.T @ (p - r) + penalty * theta)
            share, most = 1.0, total(theta, penalty) + 1e-12 * (1 + len(x))  # but for rounding
            while total(theta - share * step, penalty) > most:
                share /= 2
            theta = theta - share * step
            if np.abs(step).max() <= 1e-13 * (1 + np.abs(theta).max()):
                break
        return theta

    if len(x) == 0 or (ridge > 0 and np.linalg.norm(best(ridge)) <= norm):
        return best(ridge) if len(x) else np.zeros(x.shape[1])
    low, high = -30.0, np.log(1 + np.abs(x).sum() / norm)  # logarithms of penalties
    if np.linalg.norm(best(ridge + np.exp(low))) <= norm:
        return best(ridge + np.exp(-36.0))
    for _ in range(60):
        middle = (low + high) / 2
        outside = np.linalg.norm(best(ridge + np.exp(middle))) > norm
        low, high = (middle, high) if outside else (low, middle)
    return best(ridge + np.exp(high))


class Definition:
    def __init__(
        self, task, draws, *, ridge=1.0, delta=0.05, param_norm=None, refit_every=1,
        radius="theory",
    ):  # fmt: skip
        self._ridge, self._delta, self._norm = ridge, delta, param_norm
        self._every, self._radius, self._longest = refit_every, radius, task.feature_norm
        self.theta, self._x, self._r = np.zeros(task.dim), np.zeros((0, task.dim)), np.zeros(0)

    def choose(self, x, t):
        self.gram = self._x.T @ self._x + self._ridge * np.eye(x.shape[1])
        radius = self._radius
        if radius == "theory":
            p = sigma(self._norm * self._longest)
            growth = np.linalg.slogdet(self.gram / self._ridge)[1]
            width = np.sqrt(2 * np.log(1 / self._delta) + growth)
            radius = np.sqrt(self._ridge) * self._norm + width / (4 * p * (1 - p))
        bonus = np.sqrt(np.sum((x @ np.linalg.inv(self.gram)) * x, axis=1))
        self.radii = radius
        return sigma(x @ self.theta) + radius * bonus

    def learn(self, x, arm, reward, t):
        self._x, self._r = np.vstack([self._x, x[arm]]), np.append(self._r, reward)
        if len(self._r) % self._every == 0:
            self.theta = regression(self._x, self._r, self._ridge)
