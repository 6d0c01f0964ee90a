"""A ridge regression per arm, each by a factor of its own (``factor.py``).

``upper`` is (n, K, d, d), ``pivots`` (n, K, 2, d) and ``moment`` (n, K, d).
"""

import math

import numpy as np

from agents.inputs.feature_limits import cause, first_refused, longest_square
from agents.numerics.ridge.factor import rotate
from agents.numerics.ridge.factor_contents import predict_one
from banditgym.compiled import compiled


@compiled
def predict_disjoint(factors, features, stale, mean, variance):
    """Refresh mean and variance (n, K) where ``stale`` (n, K), and clear that.

    ``factors`` are ``upper``, ``pivots`` and ``moment``. Returns as ``factor.predict``.
    """
    upper, pivots, moment = factors
    n, dim, n_arms = features.shape
    x = np.empty(dim)
    for i in range(n):
        for k in range(n_arms):
            if not stale[i, k]:
                continue
            for j in range(dim):
                x[j] = features[i, j, k]
            of_mean, of_variance = predict_one(upper[i, k], pivots[i, k], moment[i, k], x)
            if not math.isfinite(of_variance):
                return cause(features[:, :, k : k + 1], i)
            mean[i, k], variance[i, k] = of_mean, of_variance
            stale[i, k] = False
    return -1


@compiled
def absorb_disjoint(factors, ridge, stale, features, arms, reward, observed):
    """Learn the rewards (n,) of the arms (n,) in the models of those arms.

    Returns as ``factor.absorb``.
    """
    upper, pivots, moment = factors
    bad = first_refused(features, arms, observed, longest_square(ridge))
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    x, steps = np.empty(dim), np.empty(dim)
    for i in range(n):
        if observed[i]:
            a = arms[i]
            for j in range(dim):
                x[j] = features[i, j, a]
            rotate(upper[i, a], pivots[i, a], moment[i, a], x, reward[i], 1.0, steps)
            stale[i, a] = True
    return -1
