r"""A root of the inverse Gram matrix, :math:`L L^\top = V^{-1}`, for sampling.

With :math:`q = L^\top x` and :math:`s = \sqrt{1 + q^\top q}`,

.. math:: L' = L - \frac{(L q) q^\top}{s (s + 1)} \quad\text{has}\quad
    L' L'^\top = (V + x x^\top)^{-1},

so a sample of :math:`\mathcal{N}(\hat\theta, V^{-1})` never needs a factorisation. L is no
triangle. Its transpose is what is stored: then products with L run along memory.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.inverse import first_not_finite
from banditgym.streams import fill_normal


@inlined
def _draw(root, theta, width, key, t, z, sampled):
    r"""Make ``sampled`` (d,) theta + width L z, z the standard normals of the stream's round t."""
    dim = theta.shape[0]
    fill_normal(key[0], key[1], t, z)
    for c in range(dim):
        sampled[c] = 0.0
    for r in range(dim):
        weight = z[r]
        for c in range(dim):
            sampled[c] += weight * root[r, c]
    for c in range(dim):
        sampled[c] = theta[c] + width * sampled[c]


@compiled
def sample_parameters(root, theta, width, keys, t, sampled):
    r"""Write :math:`\hat\theta + \text{width}\, L z` of each replicate as ``sampled`` (n, d).

    ``z`` are the standard normals of replicate i's stream at its round ``t[i]``.
    """
    n, dim = theta.shape
    z = np.empty(dim)
    for i in range(n):
        _draw(root[i], theta[i], width[i], keys[i], t[i], z, sampled[i])


@compiled
def sample_means(root, theta, width, keys, t, features, sampled):
    r"""Write :math:`x_k^\top(\hat\theta + \text{width}\, L z)` as ``sampled`` (n, K).

    The parameters are those of ``sample_parameters``. Returns the first replicate with a mean that
    is not finite, or -1.
    """
    n, dim, n_arms = features.shape
    z, parameter = np.empty(dim), np.empty(dim)
    for i in range(n):
        _draw(root[i], theta[i], width[i], keys[i], t[i], z, parameter)
        for k in range(n_arms):
            sampled[i, k] = 0.0
        for j in range(dim):
            weight = parameter[j]
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
    """Add the chosen arms (n,) and their rewards (n,) to root (n, d, d) and theta (n, d).

    Returns -2 - i for the first replicate i whose features are too long: their form overflows.
    """
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
        if not form < math.inf:
            return -2 - i
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
