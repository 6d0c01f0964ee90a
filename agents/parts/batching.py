r"""Batchings: parts of kernelized agents that decide when the posterior is updated.

Within a batch the posterior's mean and dictionary are constant, and the variance shrinks with each
pull.
"""

import math
from dataclasses import dataclass

import numpy as np

from banditgym.elementary import each_log1p
from banditgym.validation import Checked, checked, ruled

__all__ = ["EveryRound", "VarianceBatches"]


@dataclass(frozen=True, kw_only=True)
class EveryRound:
    """No batches: the posterior is updated with every reward that is observed."""


@dataclass(eq=False)
class Rounds:
    """The state of :class:`EveryRound`, in which nothing is counted."""


@dataclass(frozen=True, kw_only=True)
class VarianceBatches(Checked):
    r"""End a batch when the initial variances of its pulls add up to a threshold.

    With :math:`\tilde\sigma^2` the posterior variance (in units of the ridge) at the start of the
    batch, the batch ends after the first pull for which

    .. math:: 1 + \sum_s \tilde\sigma^2(x_s) > C,

    where the sum is over the pulls of the batch, this one included. Before the last pull of the
    batch, the variance at any point has shrunk by a factor of at most C.

    Parameters
    ----------
    threshold : float
        C >= 1, without unit; at 1 every pull with a positive variance ends its batch.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Near-linear Time Gaussian
    Process Optimization with Adaptive Batching and Resparsification. ICML 2020, Algorithm 1.
    """

    threshold: float = checked(ruled(lambda x: 1 <= x < math.inf, "must be finite and >= 1"), 2.0)

    def reset(self, n: int) -> "Batches":
        """The state before any data, for n replicates."""
        return Batches(threshold=float(self.threshold), spent=np.zeros(n), log_sum=np.zeros(n))


@dataclass(eq=False)
class Batches:
    r"""The progress of each replicate's batch.

    Attributes
    ----------
    spent : ndarray of shape (n,)
        :math:`\sum_s \tilde\sigma^2(x_s)` over the pulls of the batch so far.
    log_sum : ndarray of shape (n,)
        :math:`\sum_s \log(1 + \tilde\sigma^2(x_s))` over all pulls, each with the variance at the
        start of its batch.
    """

    threshold: float
    spent: np.ndarray
    log_sum: np.ndarray

    def after(
        self, arms: np.ndarray, observed: np.ndarray, start_variance: np.ndarray
    ) -> np.ndarray:
        """Count the pulls of arms (n,) where observed (n,); returns whether batches end (n,).

        ``start_variance`` (n, K) is the variance at the start of the batch; read it from the
        posterior before the pull is added.
        """
        variance = start_variance[np.arange(len(arms)), arms]
        self.spent += np.where(observed, variance, 0.0)
        self.log_sum += np.where(observed, each_log1p(variance), 0.0)
        over = observed & (1.0 + self.spent > self.threshold)
        self.spent[over] = 0.0
        return over


Batching = EveryRound | VarianceBatches
