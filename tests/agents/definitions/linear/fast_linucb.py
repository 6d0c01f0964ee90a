"""fLinUCB, Korda et al. 2015, Algorithm 2 and equation (11), for one replicate.

The estimate is that of the agent of regression that takes the same steps.
"""

from dataclasses import asdict

import numpy as np

from tests.agents.definitions.regression import (
    gradient_descent_regression,
    polyak_regression,
    sag_regression,
    svrg_regression,
)

ESTIMATES = {
    "GradientDescent": gradient_descent_regression,
    "PolyakAveraging": polyak_regression,
    "SAG": sag_regression,
    "SVRG": svrg_regression,
}
SAMPLES = 9  # purpose of the draws


class Definition:
    def __init__(
        self, task, draws, *, estimator, alpha=0.1, phi_steps=5, phi_step=0.25, phi_decay=100.0,
    ):  # fmt: skip
        module = ESTIMATES[type(estimator).__name__]
        self._regression = module.Definition(task, draws, **asdict(estimator))
        self._draws, self._ridge, self._alpha = draws, estimator.ridge, alpha
        self._steps, self._step, self._decay = phi_steps, phi_step, phi_decay
        self._fixed, self._rows, self._phi = getattr(task, "fixed_arms", False), [], None

    def choose(self, x, t):
        self.theta = self._regression.theta
        phi = self._phi
        if phi is None:
            n = len(self._rows)
            phi = x / (self._ridge + n * np.sum(x * x, axis=1, keepdims=True))
            for s in range(self._steps if n else 0):
                phi = self._moved(phi, x, self._step, s + 1)
        self.variance = np.maximum(0, np.sum(x * phi, axis=1))
        return x @ self.theta + self._alpha * np.sqrt(self.variance)

    def learn(self, x, arm, reward, t):
        if self._fixed and self._phi is None:
            self._phi = x / self._ridge
            self._regression._longest = np.max(np.sum(x * x, axis=1))
        self._rows.append(x[arm])
        self._regression.learn(x[arm], None, reward, t)
        if self._fixed:
            step = self._step * self._decay / (self._decay + len(self._rows))
            self._phi = self._moved(self._phi, x, step, 1)

    def _moved(self, phi, x, step, index):
        """A step of equation (11) for every arm."""
        n, longest = len(self._rows), self._regression._longest
        gamma = min(step, 1 / longest, n / self._ridge)
        row = self._rows[int(self._draws.uniform(n, index + 1, purpose=SAMPLES)[index] * n)]
        change = x / n - np.outer(phi @ row, row) - self._ridge / n * phi
        return phi + gamma * change
