r"""Ridge regression by the inverse Gram matrix :math:`V^{-1}`, kept by rank-one updates.

With :math:`V = \lambda I + \sum_s x_s x_s^\top`, the Sherman--Morrison identity gives

.. math:: (V + x x^\top)^{-1} = V^{-1} - v v^\top, \qquad
    v = V^{-1} x / \sqrt{1 + x^\top V^{-1} x},

so an update costs :math:`O(d^2)`. The product :math:`v_i v_j` is symmetric to the last bit, and so
stays the inverse. Both triangles are stored: rows are then read along memory in every loop.
Features are stored (n, d, K), so that inner loops run over arms, or along rows of the inverse.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined

_LANES = 8  # float64 in the widest register
# x^T V^{-1} x above which an update would leave no digit of what the inverse was.
LONGEST = 1e14
# x^T V^{-1} x of one subtraction: what falls to its part 1 / (1 + form) loses eps form of itself.
STEEP = 64.0
_PAD_FROM = 24  # dimension from which padding the arms costs less than the scalar remainder


@compiled
def predict(inverse, theta, features, mean, variance):
    r"""Write mean :math:`x^\top\theta` and variance :math:`x^\top V^{-1} x`, both (n, K)."""
    n, dim, n_arms = features.shape
    lanes = (n_arms + _LANES - 1) // _LANES * _LANES
    if dim < _PAD_FROM or lanes == n_arms:
        _quadratic_forms(inverse, theta, features, mean, variance)
    else:
        padded = np.zeros((1, dim, lanes))
        means, forms = np.empty((1, lanes)), np.empty((1, lanes))
        for i in range(n):
            for j in range(dim):
                for k in range(n_arms):
                    padded[0, j, k] = features[i, j, k]
            _quadratic_forms(inverse[i : i + 1], theta[i : i + 1], padded, means, forms)
            for k in range(n_arms):
                mean[i, k] = means[0, k]
                variance[i, k] = forms[0, k]
    for i in range(n):
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(variance[i, k])  # as it is where a feature was not
        if bad > 0:
            return i
    return -1


@compiled
def _quadratic_forms(inverse, theta, x, means, forms):
    # Two rows of the lower triangle by four columns a pass over the arms: six loads of features
    # and partial sums serve eight products. A while loop counts cheaper than a range with a step.
    n, dim, n_arms = x.shape
    first, second = np.empty(n_arms), np.empty(n_arms)
    for i in range(n):
        for k in range(n_arms):
            means[i, k] = 0.0
            forms[i, k] = 0.0
        r = 0
        while r + 1 < dim:
            weight_0, weight_1 = theta[i, r], theta[i, r + 1]
            p00, p10, p11 = inverse[i, r, r], 2.0 * inverse[i, r + 1, r], inverse[i, r + 1, r + 1]
            for k in range(n_arms):
                x0, x1 = x[i, r, k], x[i, r + 1, k]
                means[i, k] += weight_0 * x0 + weight_1 * x1
                first[k] = p00 * x0 + p10 * x1
                second[k] = p11 * x1
            c = 0
            while c + 3 < r:
                a0, a1 = 2.0 * inverse[i, r, c], 2.0 * inverse[i, r, c + 1]
                a2, a3 = 2.0 * inverse[i, r, c + 2], 2.0 * inverse[i, r, c + 3]
                b0, b1 = 2.0 * inverse[i, r + 1, c], 2.0 * inverse[i, r + 1, c + 1]
                b2, b3 = 2.0 * inverse[i, r + 1, c + 2], 2.0 * inverse[i, r + 1, c + 3]
                for k in range(n_arms):
                    x0, x1, x2, x3 = x[i, c, k], x[i, c + 1, k], x[i, c + 2, k], x[i, c + 3, k]
                    first[k] += (a0 * x0 + a1 * x1) + (a2 * x2 + a3 * x3)
                    second[k] += (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3)
                c += 4
            if c < r:  # r is even: two columns are left
                a0, a1 = 2.0 * inverse[i, r, c], 2.0 * inverse[i, r, c + 1]
                b0, b1 = 2.0 * inverse[i, r + 1, c], 2.0 * inverse[i, r + 1, c + 1]
                for k in range(n_arms):
                    x0, x1 = x[i, c, k], x[i, c + 1, k]
                    first[k] += a0 * x0 + a1 * x1
                    second[k] += b0 * x0 + b1 * x1
            for k in range(n_arms):
                forms[i, k] += first[k] * x[i, r, k] + second[k] * x[i, r + 1, k]
            r += 2
        if r < dim:
            for k in range(n_arms):
                means[i, k] += theta[i, r] * x[i, r, k]
                first[k] = inverse[i, r, r] * x[i, r, k]
            for c in range(r):
                a0 = 2.0 * inverse[i, r, c]
                for k in range(n_arms):
                    first[k] += a0 * x[i, c, k]
            for k in range(n_arms):
                forms[i, k] += first[k] * x[i, r, k]


@inlined
def symmetric_product(matrix, x, out):
    """Write ``matrix @ x`` for a symmetric matrix (d, d), four rows a pass."""
    dim = x.shape[0]
    for c in range(dim):
        out[c] = 0.0
    whole = dim // 4 * 4
    for r in range(0, whole, 4):
        x0, x1, x2, x3 = x[r], x[r + 1], x[r + 2], x[r + 3]
        for c in range(dim):
            out[c] += (x0 * matrix[r, c] + x1 * matrix[r + 1, c]) + (
                x2 * matrix[r + 2, c] + x3 * matrix[r + 3, c]
            )
    for r in range(whole, dim):
        x0 = x[r]
        for c in range(dim):
            out[c] += x0 * matrix[r, c]


@inlined
def subtract_outer(matrix, v):
    """``matrix -= v v^T`` in place."""
    dim = v.shape[0]
    for r in range(dim):
        weight = v[r]
        for c in range(dim):
            matrix[r, c] -= weight * v[c]


@inlined
def first_not_finite(features, arms, observed):
    """The first observed replicate whose chosen features are not finite, or -1."""
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i]:
            bad = False
            for j in range(dim):
                bad |= not math.isfinite(features[i, j, arms[i]])
            if bad:
                return i
    return -1


@inlined
def may_be_long(inverse, features, i, arm):
    """Whether arm ``arm`` of replicate i may be above LONGEST in the norm of ``inverse`` (d, d)."""
    # x^T V^{-1} x <= ‖x‖² tr V^{-1}, which costs d products.
    square, trace = 0.0, 0.0
    for j in range(inverse.shape[0]):
        square += features[i, j, arm] * features[i, j, arm]
        trace += inverse[j, j]
    return not square * trace <= LONGEST


@compiled
def absorb(inverse, theta, log_det, features, arms, reward, observed):
    r"""Add the chosen arms (n,) and their rewards (n,) to the regression.

    ``log_det`` (n,) follows :math:`\log\det V` by :math:`\log(1 + x^\top V^{-1} x)`.
    """
    bad = first_not_finite(features, arms, observed)
    if bad >= 0:
        return bad
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i] and may_be_long(inverse[i], features, i, arms[i]):
            return -2 - i
    x, u = np.empty(dim), np.empty(dim)
    for i in range(n):
        if observed[i]:
            for j in range(dim):
                x[j] = features[i, j, arms[i]]
            log_det[i] += math.log1p(absorb_one(inverse[i], theta[i], x, reward[i], u))
    return -1


@inlined
def share(left, form):
    """Weight, of what is ``left`` of a sample's 1, that one subtraction may take.

    A sample is as good as two of weights that add up to 1. A long one is absorbed a share at a
    time, each contracting the rounding of those before it.
    """
    return left if left * form <= STEEP else STEEP / form


@inlined
def absorb_one(inverse, theta, x, reward, u):
    """Add ``x`` (d,) to one regression; returns x^T V^{-1} x of before. ``u`` (d,) is scratch."""
    first, left = -1.0, 1.0
    while left > 0.0:
        symmetric_product(inverse, x, u)
        mean, form = 0.0, 0.0
        for j in range(x.shape[0]):
            mean += x[j] * theta[j]
            form += x[j] * u[j]
        if left == 1.0:
            first = form
        weight = share(left, form)
        root = math.sqrt(weight) / math.sqrt(1.0 + weight * form)
        # theta + V'^{-1} x (r - <x, theta>): the sum of r x need not be stored.
        step = weight * (reward - mean) / (1.0 + weight * form)
        for j in range(x.shape[0]):
            theta[j] += step * u[j]
            u[j] *= root
        subtract_outer(inverse, u)
        left -= weight
    return first


@compiled
def absorb_fixed(inverse, mean, variance, log_det, features, arms, reward, observed):
    """Fixed arms, K > d: keep mean and variance (n, K) of all arms beside the inverse.

    A round costs O(K d + d²); nothing is recomputed when arms are chosen.
    """
    n, dim, n_arms = features.shape
    x, u, z = np.empty(dim), np.empty(dim), np.empty(n_arms)
    for i in range(n):
        if observed[i]:
            form = absorb_fixed_one(
                inverse[i], mean[i], variance[i], features[i], arms[i], reward[i], x, u, z
            )
            log_det[i] += math.log1p(form)


@inlined
def absorb_fixed_one(inverse, mean, variance, features, a, reward, x, u, z):
    """Add arm ``a`` of fixed arms (d, K); returns x_a^T V^{-1} x_a of before.

    ``x``, ``u`` (d,) and ``z`` (K,) are scratch. Above STEEP the variance is that of ``inverse``
    afresh: of a difference the rounding would stay in the other arms' for good.
    """
    dim, n_arms = features.shape
    whole = dim // 4 * 4
    first, left = -1.0, 1.0
    while left > 0.0:
        for j in range(dim):
            x[j] = features[j, a]
        symmetric_product(inverse, x, u)
        for k in range(n_arms):
            z[k] = 0.0
        for j in range(0, whole, 4):
            u0, u1, u2, u3 = u[j], u[j + 1], u[j + 2], u[j + 3]
            for k in range(n_arms):
                z[k] += (u0 * features[j, k] + u1 * features[j + 1, k]) + (
                    u2 * features[j + 2, k] + u3 * features[j + 3, k]
                )
        for j in range(whole, dim):
            u0 = u[j]
            for k in range(n_arms):
                z[k] += u0 * features[j, k]
        if left == 1.0:
            first = z[a]
        weight = share(left, z[a])
        _shift(mean, variance, z, a, reward, weight)
        root = math.sqrt(weight) / math.sqrt(1.0 + weight * z[a])
        for j in range(dim):
            u[j] *= root
        subtract_outer(inverse, u)
        left -= weight
    if first > STEEP:
        for k in range(n_arms):
            for j in range(dim):
                x[j] = features[j, k]
            symmetric_product(inverse, x, u)
            variance[k] = 0.0
            for j in range(dim):
                variance[k] += x[j] * u[j]
    return first


@compiled
def absorb_kernel(covariance, mean, variance, log_det, arms, reward, observed):
    r"""Fixed arms, K <= d: keep :math:`C = X V^{-1} X^\top` (n, K, K); no dimension is left.

    ``variance`` (n, K) is the diagonal of ``covariance``, kept beside it for the inner loops.
    """
    n, n_arms = mean.shape
    z = np.empty(n_arms)
    for i in range(n):
        if not observed[i]:
            continue
        a, left = arms[i], 1.0
        log_det[i] += math.log1p(covariance[i, a, a])
        while left > 0.0:
            for k in range(n_arms):
                z[k] = covariance[i, a, k]
            weight = share(left, z[a])
            _shift(mean[i], variance[i], z, a, reward[i], weight)
            root = math.sqrt(weight) / math.sqrt(1.0 + weight * z[a])
            for k in range(n_arms):
                z[k] *= root
            subtract_outer(covariance[i], z)
            left -= weight
        # Copied, not shifted beside it: what rounding leaves in the matrix later updates contract.
        for k in range(n_arms):
            variance[i, k] = covariance[i, k, k]


@inlined
def _shift(mean, variance, z, a, reward, weight):
    # z = X V^{-1} x_a. Mean and variance of arm a are read before they change.
    scale = weight / (1.0 + weight * z[a])
    step = (reward - mean[a]) * scale
    for k in range(mean.shape[0]):
        mean[k] += step * z[k]
        variance[k] -= scale * z[k] * z[k]


@compiled
def predict_disjoint(inverse, theta, features, stale, mean, variance):
    """A model per arm: refresh mean and variance (n, K) where ``stale`` (n, K), and clear that.

    ``inverse`` is (n, K, d, d) and ``theta`` (n, K, d).
    """
    n, dim, n_arms = features.shape
    x, u = np.empty(dim), np.empty(dim)
    for i in range(n):
        for k in range(n_arms):
            if not stale[i, k]:
                continue
            for j in range(dim):
                x[j] = features[i, j, k]
            symmetric_product(inverse[i, k], x, u)
            mean[i, k] = 0.0
            variance[i, k] = 0.0
            for j in range(dim):
                mean[i, k] += x[j] * theta[i, k, j]
                variance[i, k] += x[j] * u[j]
            if not math.isfinite(variance[i, k]):
                return i
            stale[i, k] = False
    return -1


@compiled
def absorb_disjoint(inverse, theta, stale, features, arms, reward, observed):
    """Add the chosen arms (n,) and their rewards (n,) to the models of those arms."""
    bad = first_not_finite(features, arms, observed)
    if bad >= 0:
        return bad
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i] and may_be_long(inverse[i, arms[i]], features, i, arms[i]):
            return -2 - i
    x, u = np.empty(dim), np.empty(dim)
    for i in range(n):
        if observed[i]:
            a = arms[i]
            for j in range(dim):
                x[j] = features[i, j, a]
            absorb_one(inverse[i, a], theta[i, a], x, reward[i], u)
            stale[i, a] = True
    return -1
