"""Choices of arms from means and variances, or from scores."""

import math

import numpy as np

from agents.drivers.rule import first_largest, first_largest_there
from banditgym.compiled import borrowing, compiled, inlined


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
    arms = np.empty(len(mean), np.int64)
    play = _most_optimistic if radius.ndim == 1 else _most_optimistic_armwise
    play(mean, variance, radius, mask, arms)
    return arms


@compiled
def _most_optimistic(mean, variance, radius, mask, arms):
    score = np.empty(mean.shape[1])
    for i in range(mean.shape[0]):
        fill_scores(mean[i], variance[i], radius[i], score)
        arms[i] = first_largest_there(score, mask, i)


@borrowing
def optimistic_arm(mean, variance, radius, score):
    """The same for one replicate's means and variances (K,); ``score`` (K,) is overwritten."""
    fill_scores(mean, variance, radius, score)
    return first_largest(score)


@inlined
def fill_scores(mean, variance, radius, score):
    """Write the scores (K,) of one replicate's arms."""
    for k in range(mean.shape[0]):
        score[k] = optimistic_score(mean[k], variance[k], radius)


@inlined
def optimistic_score(mean, variance, radius):
    """The score of one arm."""
    # After rank-one updates a vanishing variance may be slightly below zero.
    return mean + radius * math.sqrt(max(variance, 0.0))


@compiled
def _most_optimistic_armwise(mean, variance, radius, mask, arms):
    n, n_arms = mean.shape
    score = np.empty(n_arms)
    for i in range(n):
        for k in range(n_arms):
            score[k] = optimistic_score(mean[i, k], variance[i, k], radius[i, k])
        arms[i] = first_largest_there(score, mask, i)
