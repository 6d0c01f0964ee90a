"""How linear learners turn means and variances of arms into a choice."""

import math

import numpy as np

from banditgym.compiled import compiled, inlined


def most_optimistic(mean: np.ndarray, variance: np.ndarray, radius: np.ndarray) -> np.ndarray:
    r"""The arms (n,) with the largest :math:`m + \rho\sqrt{w}`; ties go to the lowest index.

    Parameters
    ----------
    mean, variance : ndarray of shape (n, K)
    radius : ndarray of shape (n,)
        :math:`\rho \\ge 0`; 0 is greedy.
    """
    arms = np.empty(len(mean), np.int64)
    _most_optimistic(mean, variance, radius, arms)
    return arms


@compiled
def _most_optimistic(mean, variance, radius, arms):
    n, n_arms = mean.shape
    score = np.empty(n_arms)
    for i in range(n):
        for k in range(n_arms):
            # Rank-one updates may leave a vanishing variance a rounding error below zero.
            score[k] = mean[i, k] + radius[i] * math.sqrt(max(variance[i, k], 0.0))
        arms[i] = first_largest(score)


def largest(score: np.ndarray) -> np.ndarray:
    """The arms (n,) with the largest score (n, K); ties go to the lowest index."""
    arms = np.empty(len(score), np.int64)
    _largest(score, arms)
    return arms


@compiled
def _largest(score, arms):
    for i in range(score.shape[0]):
        arms[i] = first_largest(score[i])


@inlined
def first_largest(score):
    """The lowest index of the largest score."""
    best = 0
    for k in range(1, score.shape[0]):
        if score[k] > score[best]:
            best = k
    return best
