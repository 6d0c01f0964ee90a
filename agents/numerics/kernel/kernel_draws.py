r"""Draws from the posterior of a function on fixed arms under a kernel."""

import math

import numpy as np

from agents.numerics.kernel.kernel_posterior import KernelPulls, combine, solve_by_inverse
from banditgym.compiled import compiled


@compiled
def condition_draws(arrays, normals, scale, unit, draws):
    r"""Turn draws (n, K) of the prior into draws of :math:`\mathcal{N}(\mu, \text{scale}^2 c)`.

    By Matheron's rule [1]_: with h a draw of the prior, of covariance :math:`G = K / \lambda`, and
    :math:`\epsilon \sim \mathcal{N}(0, N^{-1})` at the arms U pulled,

    .. math:: \mu + \text{scale} \cdot \bigl(h - G_{\cdot U} (G_{UU} + N^{-1})^{-1}
        (h_U + \epsilon)\bigr),

    whose covariance is :math:`\text{scale}^2` times the posterior's c.

    Parameters
    ----------
    arrays : tuple
        Those of a ``KernelPulls``.
    normals : array (n, m + capacity)
        The last ``capacity`` of each row are the noise at the arms pulled.
    scale : array (n,)
    unit : float
        The factor that gives the draws the covariance G.

    References
    ----------
    .. [1] J. T. Wilson, V. Borovitskiy, A. Terenin, P. Mostowsky, M. P. Deisenroth. Efficiently
       Sampling Functions from Gaussian Process Posteriors. ICML 2020.
    """
    state = KernelPulls(*arrays)
    n, n_arms = state.mean.shape
    capacity = state.pulled.shape[1]
    first = normals.shape[1] - capacity
    weights, target, rest = np.empty(capacity), np.empty(capacity), np.empty(capacity)
    place, natural = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    rows, row_of, pulled, counts = state.rows, state.row_of, state.pulled, state.counts
    gram, inverse, mean = state.gram, state.inverse, state.mean
    for i in range(n):
        count, draw, factor = state.n_pulled[i], draws[i], scale[i]
        for k in range(n_arms):
            draw[k] *= unit
        for k in range(count):
            place[k] = row_of[pulled[i, k]]
            noise = normals[i, first + k] / math.sqrt(counts[i, k])
            target[k] = -(draw[pulled[i, k]] + noise)
        solve_by_inverse(gram[i], counts[i], inverse[i], natural, target, count, weights, rest)
        combine(rows, place, weights, count, draw)
        for k in range(n_arms):
            draw[k] = mean[i, k] + factor * draw[k]
