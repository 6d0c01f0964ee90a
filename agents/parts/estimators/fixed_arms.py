"""Ridge regression where all rounds of an episode have the same arms."""

from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import LONGEST
from agents.numerics.ridge.factor import initial
from agents.numerics.ridge.factor_contents import log_determinant
from agents.numerics.ridge.fixed_arms_updates import (
    absorb_fixed,
    absorb_kernel,
    initial_variances,
    reflect,
)
from banditgym.elementary import each_log


class FixedArms(NamedTuple):
    r"""The mean and the variance of every arm of n replicates, updated together with the factor.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        Mean and variance of every arm.
    computed : ndarray of shape (n, K)
        The variances when they were last recomputed, before any subtractions; -1 before the first
        round, in which the arms become known.
    features : ndarray of shape (n, d, K)
        The arms; zeros before the first round.
    upper, pivots, moment : ndarray of shape (n, d, d), (n, 2, d) and (n, d)
        As in ``agents.parts.estimators.ridge.FreshArms``.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    computed: np.ndarray
    features: np.ndarray
    upper: np.ndarray
    pivots: np.ndarray
    moment: np.ndarray

    @classmethod
    def initial(cls, n: int, dim: int, n_arms: int, ridge: float) -> "FixedArms":
        """The state of n replicates, whose arms are not known yet."""
        mean, variance = np.zeros((2, n, n_arms))
        computed, features = np.full((n, n_arms), -1.0), np.zeros((n, dim, n_arms))
        return cls(ridge, mean, variance, computed, features, *initial(n, dim, ridge))

    @property
    def knows_arms(self) -> bool:
        """Whether the arms are known."""
        return self.computed.item(0) >= 0.0

    @property
    def log_det(self) -> np.ndarray:
        """log det V - d log ridge, (n,)."""
        return log_determinant(self.pivots, self.ridge)

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        if not self.knows_arms:
            reject(initial_variances(contexts, self.ridge, LONGEST, self.variance), "a feature")
            self.features[:], self.computed[:] = contexts, self.variance
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        if not self.knows_arms:
            if not observed.any():  # or a call without rewards would fix the arms
                return
            self.predict(contexts)
        self._absorb(self[:], arms, reward, observed)

    _absorb = staticmethod(absorb_fixed)


class FewFixedArms(NamedTuple):
    r"""``FixedArms`` for K <= d, in K x K matrices: the arms' products with V's inverse.

    Attributes
    ----------
    mean, variance, computed
        As in ``FixedArms``.
    features : ndarray of shape (n, K, K)
        The arms in coordinates of the space that they span; zeros before the first round.
    kernel : ndarray of shape (n, K, K)
        :math:`X V^{-1} X^\top`.
    pulls, total : ndarray of shape (n, K)
        How often each arm was learned from, and the sum of its rewards.
    logs, growth : ndarray of shape (n,)
        log det V - d log ridge is ``logs`` plus the logarithm of ``growth``.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    computed: np.ndarray
    features: np.ndarray
    kernel: np.ndarray
    pulls: np.ndarray
    total: np.ndarray
    logs: np.ndarray
    growth: np.ndarray

    @classmethod
    def initial(cls, n: int, n_arms: int, ridge: float) -> "FewFixedArms":
        """The state of n replicates, whose arms are not known yet."""
        mean, variance, total = np.zeros((3, n, n_arms))
        computed, pulls = np.full((n, n_arms), -1.0), np.zeros((n, n_arms), np.int64)
        features, kernel = np.zeros((2, n, n_arms, n_arms))
        products = kernel, pulls, total, np.zeros(n), np.ones(n)
        return cls(ridge, mean, variance, computed, features, *products)

    knows_arms = FixedArms.knows_arms

    @property
    def log_det(self) -> np.ndarray:
        """log det V - d log ridge, (n,)."""
        return self.logs + each_log(self.growth)

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        if not self.knows_arms:
            reject(initial_variances(contexts, self.ridge, LONGEST, self.variance), "a feature")
            reflect(contexts, self.ridge, self.features, self.kernel)
            self.computed[:] = self.variance
        return self.mean, self.variance

    update, _absorb = FixedArms.update, staticmethod(absorb_kernel)
