"""ada-OFU-ECOLog, the code of Faury et al. 2022, with exact minimisers, for one replicate."""

import numpy as np


def sigma(z):
    return 0.5 + 0.5 * np.tanh(z / 2)  # which never overflows


def loss(z, reward):
    return np.logaddexp(0, z) - reward * z


def minimiser(start, gram, x, rewards, norm):
    """That of |theta - start|^2 / 2 in the norm of gram, plus the losses, in the ball.

    On the sphere it is that with a multiple of |theta|^2 / 2 added; the multiple is bisected.
    """

    def best(multiple):
        theta = np.zeros(len(x))
        for _ in range(200):
            p = sigma(x @ theta)
            gradient = gram @ (theta - start) + sum(p - r for r in rewards) * x + multiple * theta
            slope = len(rewards) * p * (1 - p)
            hessian = gram + slope * np.outer(x, x) + multiple * np.eye(len(x))
            step = min(1, 1 / (1 + abs(x @ theta))) * np.linalg.solve(hessian, gradient)
            theta = theta - step
            if np.linalg.norm(step) < 1e-15:
                break
        return theta

    if np.linalg.norm(best(0.0)) <= norm:
        return best(0.0)
    low, high = 0.0, 1.0
    while np.linalg.norm(best(high)) > norm:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.norm(best(middle)) > norm else (low, middle)
    return best(high)


class Definition:
    def __init__(self, task, draws, *, ridge=1.0, delta=0.05, param_norm=None, radius="faury"):
        self._ridge, self._delta, self._norm, self._radius = ridge, delta, param_norm, radius
        self.theta, self.gram = np.zeros(task.dim), ridge * np.eye(task.dim)
        self.excess, self.moved, self._t = 0.0, 0.0, 1

    def choose(self, x, t):
        inverse = np.linalg.inv(self.gram)
        bonus = np.sqrt(np.sum((x @ inverse) * x, axis=1))
        self.radii = self._rho()
        return sigma(x @ self.theta) + self.radii * bonus

    def _rho(self):
        ridge, s = self._ridge, self._norm
        nu = np.log(2 * np.sqrt(1 + self._t / (4 * ridge)) / self._delta)
        if self._radius == "faury":
            gamma = np.sqrt(ridge) / 2 + 2 * nu / np.sqrt(ridge)
            square = 2 * ridge * s**2 + (1 + s) ** 2 * gamma
            square += 2 * (1 + s) * self.excess - self.moved / 2
        elif self._radius == "lee":
            u = (2 + s) * (0.5 + 2 * nu) / 4 + s**2 / (2 + s)
            square = 4 * s**2 + 2 * (2 + s) * (u + self.excess) + 4 * np.log(1 + self._t)
        else:
            return self._radius
        return np.sqrt(max(square, 0))

    def learn(self, x, arm, reward, t):
        x = x[arm]
        theta = minimiser(self.theta, self.gram, x, [reward], self._norm)
        bar = minimiser(theta, self.gram, x, [0, 1], self._norm)
        self.excess += loss(x @ bar, reward) - loss(x @ theta, reward)
        self.moved += np.sqrt((theta - bar) @ self.gram @ (theta - bar))
        p = sigma(x @ theta)
        self.theta, self.gram = theta, self.gram + p * (1 - p) * np.outer(x, x)
        self._t += 1
