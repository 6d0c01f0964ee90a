r"""Ridge regression with fixed arms: each sample updates the mean and variance of every arm.

With :math:`c_k = x_k^\top V^{-1} x_a`, the update for a sample of arm a with reward y is

.. math:: m_k \leftarrow m_k + \frac{c_k}{1 + c_a} (y - m_a), \qquad
    w_k \leftarrow w_k - \frac{c_k^2}{1 + c_a}.

If K > d, :math:`c_k` is computed from the factor (``factor.py``), in O(K d + d²) a round. If
K <= d, the K x K matrix :math:`C = X V^{-1} X^\top` of all products is kept, with the update
:math:`C \leftarrow C - c c^\top / (1 + c_a)`, and the cost does not depend on d.

**Precision.** After a subtraction the rounding errors of the old value remain. So a variance that
has fallen to less than a 64th of its last computed value is computed anew: the mean and variance of
that arm from the factor; or all of C from a factor of the K arms, made from the numbers of their
pulls and the sums of their rewards. So no variance is ever negative, and arms may be linearly
dependent.

**Coordinates.** Only inner products of arms matter. If K < d, reflections map the arms to
:math:`R^K` first, once (``reflect``).
"""

import math

import numpy as np

from agents.inputs.feature_limits import cause
from agents.numerics.choice import optimistic_score
from agents.numerics.ridge.factor import rotate
from agents.numerics.ridge.factor_contents import predict_one, solve_upper
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.elementary import log
from banditgym.linalg.product import row_product

STEEP = 64.0  # a variance that falls by more than this factor is computed anew


@compiled
def absorb_fixed(arrays, arms, reward, observed):
    """K > d: learn the rewards (n,) of the arms (n,) where ``observed`` (n,).

    ``arrays`` are those of a ``FixedArms`` of ``agents.parts.estimators.fixed_arms``.
    """
    scratch = fixed_scratch(arrays)
    for i in range(arms.shape[0]):
        if observed[i]:
            absorb_fixed_one(arrays, i, arms[i], reward[i], scratch)


@inlined
def fixed_scratch(arrays):
    """Arrays (d,), (d,) and (K,) that ``absorb_fixed_one`` overwrites."""
    _, dim, n_arms = arrays[4].shape
    return np.empty(dim), np.empty(dim), np.empty(n_arms)


@borrowing
def absorb_fixed_one(arrays, i, a, reward, scratch):
    """K > d: replicate i learns the reward of the arm a."""
    _, mean, variance, computed, features, upper, pivots, moment = arrays
    x, u, c = scratch
    for j in range(x.shape[0]):
        x[j] = features[i, j, a]
    left = rotate(upper[i], pivots[i], moment[i], x, reward, 1.0, u)
    solve_upper(upper[i], u)  # V^{-1} x_a for the new V
    step = reward - mean[i, a], 1.0 / left
    if shift_arms(mean[i], variance[i], computed[i], features[i], u, step, c, None):
        compute_fallen(arrays, i, upper[i], pivots[i], moment[i], x)


@borrowing
def shift_arms(mean, variance, computed, features, u, step, c, radius):
    """K > d: shift means and variances by a sample.

    ``u`` (d,) is :math:`V^{-1} x_a` for the new V; its products with the arms are :math:`c_k / (1 +
    c_a)`. ``step`` is :math:`y - m_a` and :math:`1 + c_a`. Overwrites ``c`` (K,), with the new
    scores unless ``radius`` is None. Returns whether some variance has fallen so far that it must
    be computed anew.
    """
    error, growth = step
    row_product(u, features, c)
    fallen = 0
    for k in range(features.shape[1]):
        mean[k] += error * c[k]
        variance[k] -= growth * c[k] * c[k]
        fallen += STEEP * variance[k] < computed[k]
        if radius is not None:
            c[k] = optimistic_score(mean[k], variance[k], radius)
    return fallen > 0


@borrowing
def compute_fallen(arrays, i, upper, pivots, moment, x):
    """K > d: compute replicate i's arms of fallen variance anew; overwrites ``x`` (d,)."""
    mean, variance, computed, features = arrays[1], arrays[2], arrays[3], arrays[4]
    for k in range(mean.shape[1]):
        if STEEP * variance[i, k] < computed[i, k]:
            for j in range(x.shape[0]):
                x[j] = features[i, j, k]
            mean[i, k], variance[i, k] = predict_one(upper, pivots, moment, x)
            computed[i, k] = variance[i, k]


@compiled
def absorb_kernel(arrays, arms, reward, observed):
    """K <= d: learn the rewards (n,) of the arms (n,) where ``observed`` (n,).

    ``arrays`` are those of a ``FewFixedArms`` of ``agents.parts.estimators.fixed_arms``.
    """
    scratch = kernel_scratch(arrays)
    for i in range(arms.shape[0]):
        if observed[i] and absorb_kernel_one(arrays, i, arms[i], reward[i], scratch[0]):
            compute_afresh(arrays, i, scratch)


@inlined
def kernel_scratch(arrays):
    """An array whose rows ``absorb_kernel_one`` and ``compute_afresh`` overwrite."""
    n_arms = arrays[1].shape[1]
    return np.empty((2 * n_arms + 5, n_arms))


@borrowing
def absorb_kernel_one(arrays, i, a, reward, c):
    """K <= d: replicate i learns the reward of the arm a; ``c`` (K,) is overwritten.

    Returns whether C is to be computed afresh.
    """
    mean, variance, computed, kernel = arrays[1], arrays[2], arrays[3], arrays[5]
    n_arms = mean.shape[1]
    form = kernel[i, a, a]
    count_sample(arrays, i, a, reward, form)
    step, root = (reward - mean[i, a]) / (1.0 + form), 1.0 / math.sqrt(1.0 + form)
    for k in range(n_arms):
        mean[i, k] += step * kernel[i, a, k]
        c[k] = root * kernel[i, a, k]
    for r in range(n_arms):
        share = c[r]
        for k in range(n_arms):  # the product is symmetric to the last bit, which keeps C so
            kernel[i, r, k] -= share * c[k]
    fallen = 0
    for k in range(n_arms):
        variance[i, k] -= c[k] * c[k]  # to the same bits as C's diagonal
        fallen += STEEP * variance[i, k] < computed[i, k]
    return fallen > 0


@borrowing
def count_sample(arrays, i, a, reward, form):
    """K <= d: count a sample of replicate i; ``form`` is the variance of its arm a."""
    _, _, _, _, _, _, pulls, total, logs, growth = arrays
    pulls[i, a] += 1
    total[i, a] += reward
    growth[i] *= 1.0 + form  # one logarithm serves many samples
    if growth[i] > 1e150:
        logs[i] += log(growth[i])
        growth[i] = 1.0


@borrowing
def compute_afresh(arrays, i, scratch):
    """C, means and variances of replicate i, from the pulls of its arms and their rewards."""
    ridge, mean, variance, computed, features, kernel, pulls, total, _, _ = arrays
    sums = pulls[i], total[i], ridge, features[i]
    _compute_afresh(kernel[i], mean[i], variance[i], sums, scratch)
    for k in range(computed.shape[1]):
        computed[i, k] = variance[i, k]


@borrowing
def _compute_afresh(kernel, mean, variance, sums, scratch):
    pulls, total, ridge, features = sums
    n_arms = mean.shape[0]
    upper, z = scratch[5 : 5 + n_arms], scratch[5 + n_arms :]
    x, steps, moment, pivots = scratch[0], scratch[1], scratch[2], scratch[3:5]
    for j in range(n_arms):
        for k in range(n_arms):
            upper[j, k], z[j, k], kernel[j, k] = 0.0, features[j, k], 0.0
        upper[j, j] = 1.0
        pivots[0, j] = ridge
        pivots[1, j] = 1.0 / ridge
        moment[j] = mean[j] = 0.0
    for a in range(n_arms):
        if pulls[a] > 0:  # the rewards of one arm count as one reward of their total weight
            for j in range(n_arms):
                x[j] = features[j, a]
            rotate(upper, pivots, moment, x, total[a] / pulls[a], float(pulls[a]), steps)
    for j in range(n_arms):
        for r in range(j + 1, n_arms):
            for k in range(n_arms):
                z[r, k] -= upper[j, r] * z[j, k]
        for r in range(n_arms):
            mean[r] += moment[j] * z[j, r]
            for k in range(n_arms):
                kernel[r, k] += pivots[1, j] * (z[j, r] * z[j, k])
    for k in range(n_arms):
        variance[k] = kernel[k, k]


@compiled
def initial_variances(features, ridge, longest, variance):
    """Write the variances (n, K) of the arms (n, d, K) before any data.

    Returns the first replicate with features that are not finite, -2 - i for the first with a
    variance above ``longest``, or -1.
    """
    n, dim, n_arms = features.shape
    variance[:] = 0.0
    for i in range(n):
        for j in range(dim):
            for k in range(n_arms):
                variance[i, k] += features[i, j, k] * features[i, j, k]
        long = False
        for k in range(n_arms):
            variance[i, k] /= ridge
            long |= not variance[i, k] <= longest
        if long:
            return cause(features, i)
    return -1


@compiled
def reflect(features, ridge, coordinates, kernel):
    """Write ``coordinates`` (n, K, K) of the arms (n, d, K), K <= d, and C before any data.

    By Householder reflections, each applied to all arms in the same way, so equal arms stay equal.
    """
    n, dim, n_arms = features.shape
    v, along = np.empty(dim), np.empty(n_arms)
    for i in range(n):
        x = features[i].copy()
        kernel[i] = 0.0
        for j in range(dim):
            for r in range(n_arms):
                for k in range(n_arms):
                    kernel[i, r, k] += x[j, r] * x[j, k]
        for r in range(n_arms):
            for k in range(n_arms):
                kernel[i, r, k] /= ridge
        for j in range(n_arms if n_arms < dim else 0):
            square = 0.0
            for r in range(j, dim):
                v[r] = x[r, j]
                square += v[r] * v[r]
            length = math.sqrt(square)
            v[j] += length if v[j] > 0.0 else -length
            scale = length * abs(v[j])  # half the square of the new v
            if not scale > 0.0:
                continue
            along[:] = 0.0
            for r in range(j, dim):
                for k in range(n_arms):
                    along[k] += v[r] * x[r, k]
            for k in range(n_arms):
                along[k] /= scale
            for r in range(j, dim):
                for k in range(n_arms):
                    x[r, k] -= v[r] * along[k]
        for r in range(n_arms):
            for k in range(n_arms):
                coordinates[i, r, k] = x[r, k]
