r"""A root of the inverse Gram matrix, :math:`L L^\top = V^{-1}`, for sampling.

With :math:`q = L^\top x` and :math:`s = \sqrt{1 + q^\top q}`,

.. math:: L' = L - \frac{(L q) q^\top}{s (s + 1)} \quad\text{has}\quad
    L' L'^\top = (V + x x^\top)^{-1},

so a sample of :math:`\mathcal{N}(\hat\theta, V^{-1})` never needs a factorisation. L is no
triangle. Its transpose is what is stored: then products with L run along memory.
"""

import math

import numpy as np

from banditgym.compiled import compiled
from banditgym.linalg.inverse import first_not_finite
from banditgym.streams import fill_normal


@compiled
def sample_means(root, theta, width, keys, t, features, sampled):
    r"""Write :math:`x_k^\top(\hat\theta + \text{width}\, L z)` as ``sampled`` (n, K).

    ``z`` are the standard normals of replicate i's stream at its round ``t[i]``.
    """
    n, dim, n_arms = features.shape
    z, direction = np.empty(dim), np.empty(dim)
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], t[i], z)
        for c in range(dim):
            direction[c] = 0.0
        for r in range(dim):
            weight = z[r]
            for c in range(dim):
                direction[c] += weight * root[i, r, c]
        for k in range(n_arms):
            sampled[i, k] = 0.0
        for j in range(dim):
            weight = theta[i, j] + width[i] * direction[j]
            for k in range(n_arms):
                sampled[i, k] += weight * features[i, j, k]
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(sampled[i, k])  # as it is where a feature was not
        if bad > 0:
            return i
    return -1


@compiled
def absorb_root(root, theta, features, arms, reward, observed):
    """Add the chosen arms (n,) and their rewards (n,) to root (n, d, d) and theta (n, d)."""
    bad = first_not_finite(features, arms, observed)
    if bad >= 0:
        return bad
    n, dim, _ = features.shape
    x, q, u, row = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim)
    for i in range(n):
        if not observed[i]:
            continue
        mean = 0.0
        for j in range(dim):
            x[j] = features[i, j, arms[i]]
            mean += x[j] * theta[i, j]
            u[j] = 0.0
        form = 0.0
        for r in range(dim):
            # Products first, their sum after: only the first loop can use wide registers.
            for c in range(dim):
                row[c] = root[i, r, c] * x[c]
            total = 0.0
            for c in range(dim):
                total += row[c]
            q[r] = total
            form += total * total
            for c in range(dim):
                u[c] += total * root[i, r, c]
        s = math.sqrt(1.0 + form)
        step = (reward[i] - mean) / (1.0 + form)
        for j in range(dim):
            theta[i, j] += step * u[j]
        scale = 1.0 / (s * (s + 1.0))
        for r in range(dim):
            weight = scale * q[r]
            for c in range(dim):
                root[i, r, c] -= weight * u[c]
    return -1
