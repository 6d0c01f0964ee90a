r"""A root of the inverse Gram matrix for fixed arms, with the mean and variance of every arm.

With :math:`V = \lambda I + \sum_s z_s z_s^\top`, :math:`L L^\top = V^{-1}`, and the features z of
the arm that was played,

.. math:: q = L^\top z, \quad u = L q, \quad s = \sqrt{1 + q^\top q}, \qquad
    L \leftarrow L - \frac{u q^\top}{s (s + 1)}, \qquad
    m_k \leftarrow m_k + \frac{r - m_a}{s^2} z_k^\top u, \qquad
    w_k \leftarrow w_k - \frac{(z_k^\top u)^2}{s^2},

where :math:`m_k` and :math:`w_k` are the mean :math:`z_k^\top V^{-1} \sum_s r_s z_s` and the
variance :math:`z_k^\top V^{-1} z_k` of arm k: O(K m + m²) a round for m features of K arms. L
itself is stored, not its transpose.

**Precision.** With features of a kernel, V has eigenvalues of every order between the ridge and the
number of rounds. With the inverse itself, variances would have errors of eps
:math:`\lVert z\rVert^2/\lambda`; with the root, the roots of variances have errors of eps
:math:`\lVert z\rVert/\sqrt\lambda`. After 1e5 pulls, with noise of the size of the ridge, means and
variances were right to 1e-9 at a ridge of 1e-6 of the prior variance, and to 1e-6 at 1e-10. After a
subtraction the rounding errors of the old value remain. So a variance that has fallen to less than
a 64th of its last computed value is computed anew, :math:`w_k = \lVert L^\top z_k\rVert^2`: m² for
that arm, once for every factor of 64. So no variance is ever negative.

**Layout.** Where all replicates share the features there is one copy, which stays in the cache from
one replicate to the next.
"""

import math
from typing import NamedTuple

import numpy as np

from agents.numerics.ridge.fixed_arms_updates import STEEP
from banditgym.compiled import compiled, inlined
from banditgym.elementary import log1p
from banditgym.linalg.product import row_product
from banditgym.streams import fill_normal


class RootFixed(NamedTuple):
    """A regression on m features of K fixed arms, for n replicates."""

    root: np.ndarray  # (n, m, m): L
    mean: np.ndarray  # (n, K)
    variance: np.ndarray  # (n, K): w_k plus the constant
    computed: np.ndarray  # (n, K): the variances when they were last computed from the root
    log_det: np.ndarray  # (n,): log det V - m log λ, by log(1 + z^T V^-1 z)
    features: np.ndarray  # (n, m, K), or (1, m, K): all replicates share them
    constant: np.ndarray  # (n, K) or (1, K): the part of the variance that no pull reduces


@compiled
def absorb_root_fixed(arrays, arms, reward, observed):
    """Learn the rewards (n,) of the arms (n,) where ``observed`` (n,).

    ``arrays`` are those of a ``RootFixed``.
    """
    root, mean, variance, computed, log_det, features, constant = arrays
    n, n_arms = mean.shape
    _, dim, _ = features.shape
    z, q, u, w = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(n_arms)
    for i in range(n):
        if not observed[i]:
            continue
        x = features[i if features.shape[0] > 1 else 0]
        rest = constant[i if constant.shape[0] > 1 else 0]
        a = arms[i]
        form = _form(root[i], x, a, z, q)
        _product(root[i], q, u)
        row_product(u, x, w)
        weight = 1.0 / (1.0 + form)
        step = weight * (reward[i] - mean[i, a])
        fallen = 0
        for k in range(n_arms):
            mean[i, k] += step * w[k]
            variance[i, k] -= weight * w[k] * w[k]
            fallen += STEEP * variance[i, k] < computed[i, k]
        s = math.sqrt(1.0 + form)
        scale = 1.0 / (s * (s + 1.0))
        for r in range(dim):
            share = scale * u[r]
            for c in range(dim):
                root[i, r, c] -= share * q[c]
        log_det[i] += log1p(form)
        if fallen > 0:
            for k in range(n_arms):
                if STEEP * variance[i, k] < computed[i, k]:
                    variance[i, k] = rest[k] + _form(root[i], x, k, z, q)
                    computed[i, k] = variance[i, k]


@compiled
def sample_root_fixed(arrays, scale, keys, t, sampled):
    r"""Write :math:`m_k + \text{scale}\; z_k^\top L \xi` as ``sampled`` (n, K).

    :math:`\xi` are the standard normals of replicate i's stream at its round ``t[i]``: the K
    numbers are a joint draw. ``arrays`` are those of a ``RootFixed``.
    """
    root, mean, _, _, _, features, _ = arrays
    n, n_arms = mean.shape
    _, dim, _ = features.shape
    normals, direction = np.empty(dim), np.empty(dim)
    for i in range(n):
        fill_normal(keys[i, 0], keys[i, 1], t[i], normals)
        _product(root[i], normals, direction)
        x = features[i if features.shape[0] > 1 else 0]
        row_product(direction, x, sampled[i])
        for k in range(n_arms):
            sampled[i, k] = mean[i, k] + scale[i] * sampled[i, k]


@inlined
def _form(root, x, arm, z, q):
    """Write the arm's features z, and q = L^T z; returns the square of q."""
    for j in range(z.shape[0]):
        z[j] = x[j, arm]
    row_product(z, root, q)
    square = 0.0
    for j in range(z.shape[0]):
        square += q[j] * q[j]
    return square


@inlined
def _product(matrix, x, out):
    """Write ``matrix x`` for a square matrix, four rows per pass, with four independent sums."""
    dim = matrix.shape[0]
    whole = dim // 4 * 4
    for r in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for c in range(dim):
            s0 += matrix[r, c] * x[c]
            s1 += matrix[r + 1, c] * x[c]
            s2 += matrix[r + 2, c] * x[c]
            s3 += matrix[r + 3, c] * x[c]
        out[r], out[r + 1], out[r + 2], out[r + 3] = s0, s1, s2, s3
    for r in range(whole, dim):
        s0 = 0.0
        for c in range(dim):
            s0 += matrix[r, c] * x[c]
        out[r] = s0


@compiled
def weighted_sums(counts, variance, sums):
    """Write the sums (n,) of ``counts`` times ``variance``, both (n, K)."""
    for i in range(counts.shape[0]):
        sums[i] = 0.0
        for k in range(counts.shape[1]):
            if counts[i, k] > 0:
                sums[i] += counts[i, k] * variance[i, k]
