"""Rewards of samples that the factor of ``factor.py`` has already counted."""

from banditgym.compiled import compiled


@compiled
def add_rewards(upper, pivots, moment, features, reward, which):
    r"""Add rewards (n,) of the samples (n, d) to the estimate where ``which`` (n,), and not to V.

    As :math:`\hat\theta` changes by :math:`r V^{-1} x`, so does :math:`g = U \hat\theta` by
    :math:`r D^{-1} U^{-\top} x`. Overwrites the features.
    """
    n, dim = features.shape
    for i in range(n):
        if which[i]:
            for j in range(dim):
                entry = features[i, j]
                moment[i, j] += reward[i] * entry * pivots[i, 1, j]
                for c in range(j + 1, dim):
                    features[i, c] -= entry * upper[i, j, c]
