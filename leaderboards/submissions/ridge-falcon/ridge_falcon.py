"""FALCON with scikit-learn's ridge regression: a regressor of others and an exploration rule."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.linear_model import Ridge

import agents
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class RidgeFALCON(agents.ScalarAgent):
    r"""Fit a regressor on a doubling schedule, and play arms by their gap to the best guess.

    Before the rewards number :math:`m = 2, 4, 8, \dots` the regressor is fitted anew on all of
    them. With its guesses :math:`\hat y_k` and the best arm :math:`b = \arg\max_k \hat y_k`, an arm
    is drawn from

    .. math:: p_k = \frac{1}{K + \gamma_m (\hat y_b - \hat y_k)} \;\; (k \ne b), \qquad
        p_b = 1 - \sum_{k \ne b} p_k, \qquad \gamma_m = c \sqrt{K m / d};

    before the first fit uniformly. A fit costs O(m d² + d³), log T times; a round O(K d).

    Parameters
    ----------
    c : float
        How soon exploration ends, > 0.
    ridge : float
        Regularisation of the regressor, > 0.

    Notes
    -----
    Departs from the paper in fitting on all rewards, where it takes those of the last period, and
    in the constant: d stands for the logarithm of the number of functions.

    References
    ----------
    D. Simchi-Levi, Y. Xu. Bypassing the Monster: A Faster and Simpler Optimal Algorithm for
    Contextual Bandits under Realizability. Mathematics of Operations Research 47, 2022,
    Algorithm 1.
    """

    accepts: ClassVar = (LinearTask,)
    saveable: ClassVar = False  # its state holds an object of scikit-learn
    paper: ClassVar = "Simchi-Levi, Xu 2022"

    c: float = 4.0
    ridge: float = 1.0

    def __post_init__(self):
        for name in ("c", "ridge"):
            if not 0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be finite and > 0, got {getattr(self, name)}")

    def begin(self, task, rng):
        self.rng, self.dim = rng, task.dim
        self.rows, self.rewards = [], []
        self.fitted = 0  # rewards that the regressor has seen
        self.model = Ridge(alpha=self.ridge, fit_intercept=False)

    def choose(self, contexts):
        n_arms = len(contexts)
        if not self.fitted:
            return int(self.rng.integers(n_arms))
        guesses = contexts @ self.model.coef_  # what predict says, without its checks
        best = int(np.argmax(guesses))
        gamma = self.c * np.sqrt(n_arms * self.fitted / self.dim)
        p = 1.0 / (n_arms + gamma * (guesses[best] - guesses))
        p[best] = 0.0
        p[best] = 1.0 - p.sum()
        # The first arm up to which the probabilities exceed a uniform number.
        return min(int(np.searchsorted(np.cumsum(p), self.rng.random(), side="right")), n_arms - 1)

    def learn(self, contexts, arm, reward):
        self.rows.append(contexts[arm].copy())
        self.rewards.append(reward)
        if len(self.rewards) >= max(2, 2 * self.fitted):
            self.model.fit(np.array(self.rows), np.array(self.rewards))
            self.fitted = len(self.rewards)
