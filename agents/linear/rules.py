"""How linear learners turn means and variances of arms into a choice."""

import math

import numpy as np

from banditgym.compiled import compiled, inlined


def most_optimistic(mean: np.ndarray, variance: np.ndarray, radius: np.ndarray) -> np.ndarray:
    r"""The arms (n,) with the largest :math:`m + \rho\sqrt{w}`; ties go to the lowest index.

    Parameters
    ----------
    mean, variance : ndarray of shape (n, K)
    radius : ndarray of shape (n,) or (n, K)
        :math:`\rho \\ge 0`, of each replicate or of each arm; 0 is greedy.
    """
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


def norms(contexts: np.ndarray) -> np.ndarray:
    """The lengths (n, K) of the features (n, d, K)."""
    n, _, n_arms = contexts.shape
    lengths = np.zeros((n, n_arms))
    _norms(contexts, lengths)
    return lengths


@compiled
def _norms(contexts, lengths):
    n, dim, n_arms = contexts.shape
    for i in range(n):
        for j in range(dim):
            for k in range(n_arms):
                lengths[i, k] += contexts[i, j, k] * contexts[i, j, k]
        for k in range(n_arms):
            lengths[i, k] = math.sqrt(lengths[i, k])


def keep_longest(
    longest: np.ndarray, contexts: np.ndarray, arms: np.ndarray, observed: np.ndarray
) -> None:
    """Raise ``longest`` (n,) to the length of the features of the arms (n,) where observed (n,)."""
    _keep_longest(longest, contexts, arms, observed)


@compiled
def _keep_longest(longest, contexts, arms, observed):
    n, dim, _ = contexts.shape
    for i in range(n):
        if observed[i]:
            square = 0.0
            for j in range(dim):
                square += contexts[i, j, arms[i]] * contexts[i, j, arms[i]]
            longest[i] = max(longest[i], math.sqrt(square))


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
