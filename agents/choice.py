"""How means and variances of arms, or any scores, become a choice."""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.streams import uniform_at


def most_optimistic(
    mean: np.ndarray, variance: np.ndarray, radius: np.ndarray, mask: np.ndarray | None = None
) -> np.ndarray:
    r"""The arms (n,) with the largest :math:`m + \rho\sqrt{w}`; ties go to the lowest index.

    Parameters
    ----------
    mean, variance : ndarray of shape (n, K)
    radius : ndarray of shape (n,) or (n, K)
        :math:`\rho \ge 0`, of each replicate or of each arm; 0 is greedy.
    mask : bool ndarray of shape (n, K), optional
        Which arms there are; all if not given.
    """
    if mask is not None:
        mean = np.where(mask, mean, -np.inf)
    arms = np.empty(len(mean), np.int64)
    if radius.ndim == 1:
        most_optimistic_into(mean, variance, radius, arms)
    else:
        _most_optimistic_armwise(mean, variance, radius, arms)
    return arms


@compiled
def most_optimistic_into(mean, variance, radius, arms):
    """:func:`most_optimistic` for compiled loops: ``radius`` (n,), written to arms (n,)."""
    n, n_arms = mean.shape
    score = np.empty(n_arms)
    for i in range(n):
        for k in range(n_arms):
            # Rank-one updates may leave a vanishing variance a rounding error below zero.
            score[k] = mean[i, k] + radius[i] * math.sqrt(max(variance[i, k], 0.0))
        arms[i] = first_largest(score)


@compiled
def _most_optimistic_armwise(mean, variance, radius, arms):
    n, n_arms = mean.shape
    score = np.empty(n_arms)
    for i in range(n):
        for k in range(n_arms):
            score[k] = mean[i, k] + radius[i, k] * math.sqrt(max(variance[i, k], 0.0))
        arms[i] = first_largest(score)


def largest(score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """The arms (n,) with the largest score (n, K), of those in the mask; ties: the lowest index."""
    if mask is not None:
        score = np.where(mask, score, -np.inf)
    arms = np.empty(len(score), np.int64)
    _largest(score, arms)
    return arms


@compiled
def _largest(score, arms):
    for i in range(score.shape[0]):
        arms[i] = first_largest(score[i])


@compiled
def uniform_slots(keys, t, index, mask, arms):
    """Write one of the arms in mask (n, K) to arms (n,), by uniform ``index`` of rounds t (n,)."""
    for i in range(arms.shape[0]):
        there = 0
        for k in range(mask.shape[1]):
            there += mask[i, k]
        before = int(uniform_at(keys[i, 0], keys[i, 1], t[i], index) * there)
        for k in range(mask.shape[1]):
            if mask[i, k]:
                if before == 0:
                    arms[i] = k
                    break
                before -= 1


@inlined
def first_largest(score):
    """The lowest index of the largest score."""
    best = 0
    for k in range(1, score.shape[0]):
        if score[k] > score[best]:
            best = k
    return best
