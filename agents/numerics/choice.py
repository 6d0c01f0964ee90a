"""Choices of arms from means and variances, or from scores."""

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
        :math:`\rho \ge 0`, for each replicate or for each arm; 0 is greedy.
    mask : bool ndarray of shape (n, K), optional
        The arms that are available; all if not given.
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
            # After rank-one updates a vanishing variance may be slightly below zero.
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
    """The arms (n,) in the mask with the largest score (n, K); ties go to the lowest index."""
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
    """Write a uniform arm of mask (n, K) to arms (n,), from uniform ``index`` of rounds t (n,)."""
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


def inverse_gap_weighted(
    score: np.ndarray, gamma: np.ndarray, keys: np.ndarray, decisions: np.ndarray
) -> np.ndarray:
    r"""Arms (n,), each drawn by the inverse of its gap to the best, as SquareCB does.

    With b the first arm of the largest score f and K arms,

    .. math:: p_k = \frac{1}{K + \gamma (f_b - f_k)} \quad (k \ne b), \qquad
        p_b = 1 - \sum_{k \ne b} p_k.

    Parameters
    ----------
    score : ndarray of shape (n, K)
    gamma : ndarray of shape (n,)
        :math:`\gamma \ge 0`; 0 is uniform.
    keys : uint64 ndarray of shape (n, 2)
        Of the stream whose uniform 0 of the decision draws the arm.
    decisions : int64 ndarray of shape (n,)
    """
    arms = np.empty(len(score), np.int64)
    _inverse_gap_weighted(score, gamma, keys, decisions, arms)
    return arms


@compiled
def _inverse_gap_weighted(score, gamma, keys, decisions, arms):
    for i in range(score.shape[0]):
        u = uniform_at(keys[i, 0], keys[i, 1], decisions[i], 0)
        arms[i] = inverse_gap(score[i], gamma[i], u)


@inlined
def inverse_gap(score, gamma, u):
    """The index that a uniform u on [0, 1) draws by inverse gap weighting of the scores (K,)."""
    best = first_largest(score)
    for k in range(score.shape[0]):
        if k != best:
            u -= 1.0 / (score.shape[0] + gamma * (score[best] - score[k]))
            if u < 0.0:
                return k
    return best


@inlined
def first_largest(score):
    """The lowest index of the largest score."""
    best = 0
    for k in range(1, score.shape[0]):
        if score[k] > score[best]:
            best = k
    return best
