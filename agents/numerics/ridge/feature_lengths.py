"""Lengths of the features of arms."""

import math

import numpy as np

from banditgym.compiled import compiled


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


@compiled
def keep_longest(longest, contexts, arms, observed):
    """Raise ``longest`` (n,) to the length of the features of the arms (n,) where observed (n,)."""
    n, dim, _ = contexts.shape
    for i in range(n):
        if observed[i]:
            square = 0.0
            for j in range(dim):
                square += contexts[i, j, arms[i]] * contexts[i, j, arms[i]]
            longest[i] = max(longest[i], math.sqrt(square))
