r"""Ridge regression by one triangular factor, updated by rotations without square roots.

.. math:: V = \lambda I + \sum_s x_s x_s^\top = U^\top D U, \qquad g = U \hat\theta,

where U is upper triangular with ones on its diagonal, and D diagonal with :math:`D_j \ge \lambda`.
With :math:`z = U^{-\top} x` the mean and the variance of an arm x are

.. math:: x^\top\hat\theta = \sum_j z_j g_j, \qquad x^\top V^{-1} x = \sum_j z_j^2 / D_j,

both from one forward substitution. A sample x with reward y is rotated into the rows of U, one
after the other. Its weight w is 1 at first, and the rotation with row j is

.. math:: \delta = D_j + w x_j^2, \quad (\text{keep}, \text{step}) = (D_j, w x_j) / \delta, \quad
    U_j \leftarrow \text{keep}\, U_j + \text{step}\, x, \quad x \leftarrow x - x_j U_j, \quad
    w \leftarrow \text{keep}\, w, \quad D_j \leftarrow \delta,

with old values on the right; :math:`(g_j, y)` is one more column of :math:`(U_j, x)`. These are
Givens rotations, and equally stable; neither V nor its inverse is ever formed. If keep > 1/2 the
new row is computed as :math:`U_j + \text{step}\, (x - x_j U_j)`, which changes no bit where x
agrees with it; for smaller keep this difference would cancel. At the end
:math:`1/w = 1 + x^\top V^{-1} x` for the old V, and :math:`V^{-1} x` for the new V is the solution
of :math:`U u = \text{step}`.

A sample costs :math:`O(d^2)`, predictions of K arms :math:`O(K d^2)`. Features are stored
(n, d, K), so that the inner loops of a prediction run over the arms, and those of a sample along
the rows of U. The part of U below the diagonal is not read.

References
----------
W. M. Gentleman. Least Squares Computations by Givens Transformations Without Square Roots.
Journal of the Institute of Mathematics and its Applications 1973.
"""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import log
from banditgym.streams import fill_normal

LONGEST = 1e25  # the largest ‖x‖² / ridge of a sample; see banditgym.linalg
_LANES = 8  # float64 in the widest register
LEFT_LOOKING_FROM = 24  # dimension from which the second form of the substitution is faster
_ONE = np.uint64(1)


def start(n: int, dim: int, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U (n, d, d), D beside 1 / D (n, 2, d), and g (n, d), before any data."""
    pivots = np.tile([[ridge], [1.0 / ridge]], (n, 1, dim))
    return np.tile(np.eye(dim), (n, 1, 1)), pivots, np.zeros((n, dim))


@compiled
def predict(upper, pivots, moment, features, mean, variance):
    r"""Write mean :math:`x^\top\hat\theta` and variance :math:`x^\top V^{-1} x`, both (n, K).

    Returns the first replicate with features that are not finite, -2 - i for the first whose
    variance overflows, or -1. Numbers depend on d and the arm alone, not on K.
    """
    n, dim, n_arms = features.shape
    # A padded arm costs less than the remainder of a loop where loops are long.
    lanes = n_arms if dim < LEFT_LOOKING_FROM else -(-n_arms // _LANES) * _LANES
    z, means, forms = np.zeros((dim, lanes)), np.empty(lanes), np.empty(lanes)
    for i in range(n):
        for j in range(dim):
            for k in range(n_arms):
                z[j, k] = features[i, j, k]
        for k in range(lanes):
            means[k] = 0.0
            forms[k] = 0.0
        if dim < LEFT_LOOKING_FROM:
            _right_looking(upper[i], pivots[i, 1], moment[i], z, means, forms)
        else:
            _left_looking(upper[i], pivots[i, 1], moment[i], z, means, forms)
        bad = 0
        for k in range(n_arms):
            mean[i, k] = means[k]
            variance[i, k] = forms[k]
            bad += not math.isfinite(forms[k])  # not finite if a feature was not
        if bad > 0:
            return cause(features, i)
    return -1


@compiled
def cause(features, i):
    """i where features of replicate i are not finite, else -2 - i."""
    for j in range(features.shape[1]):
        for k in range(features.shape[2]):
            if not math.isfinite(features[i, j, k]):
                return i
    return -2 - i


@inlined
def _right_looking(upper, reciprocals, moment, z, means, forms):
    # Four rows of z are finished, then taken off all rows below, two at a time.
    dim, lanes = z.shape
    j = 0
    while j + 3 < dim:
        u01, u02, u03 = upper[j, j + 1], upper[j, j + 2], upper[j, j + 3]
        u12, u13, u23 = upper[j + 1, j + 2], upper[j + 1, j + 3], upper[j + 2, j + 3]
        p0, p1, p2, p3 = reciprocals[j], reciprocals[j + 1], reciprocals[j + 2], reciprocals[j + 3]
        g0, g1, g2, g3 = moment[j], moment[j + 1], moment[j + 2], moment[j + 3]
        for k in range(lanes):
            z0 = z[j, k]
            z1 = z[j + 1, k] - u01 * z0
            z2 = z[j + 2, k] - (u02 * z0 + u12 * z1)
            z3 = z[j + 3, k] - ((u03 * z0 + u13 * z1) + u23 * z2)
            z[j + 1, k] = z1
            z[j + 2, k] = z2
            z[j + 3, k] = z3
            means[k] = (means[k] + (g0 * z0 + g1 * z1)) + (g2 * z2 + g3 * z3)
            forms[k] = (forms[k] + (p0 * z0 * z0 + p1 * z1 * z1)) + (p2 * z2 * z2 + p3 * z3 * z3)
        r = j + 4
        while r + 1 < dim:
            a0, a1, a2, a3 = upper[j, r], upper[j + 1, r], upper[j + 2, r], upper[j + 3, r]
            b0, b1 = upper[j, r + 1], upper[j + 1, r + 1]
            b2, b3 = upper[j + 2, r + 1], upper[j + 3, r + 1]
            for k in range(lanes):
                z0, z1, z2, z3 = z[j, k], z[j + 1, k], z[j + 2, k], z[j + 3, k]
                z[r, k] -= (a0 * z0 + a1 * z1) + (a2 * z2 + a3 * z3)
                z[r + 1, k] -= (b0 * z0 + b1 * z1) + (b2 * z2 + b3 * z3)
            r += 2
        if r < dim:
            a0, a1, a2, a3 = upper[j, r], upper[j + 1, r], upper[j + 2, r], upper[j + 3, r]
            for k in range(lanes):
                z[r, k] -= (a0 * z[j, k] + a1 * z[j + 1, k]) + (a2 * z[j + 2, k] + a3 * z[j + 3, k])
        j += 4
    while j < dim:
        p0, g0 = reciprocals[j], moment[j]
        for k in range(lanes):
            means[k] += g0 * z[j, k]
            forms[k] += p0 * z[j, k] * z[j, k]
        for r in range(j + 1, dim):
            a0 = upper[j, r]
            for k in range(lanes):
                z[r, k] -= a0 * z[j, k]
        j += 1


@inlined
def _left_looking(upper, reciprocals, moment, z, means, forms):
    # Two rows of z are finished in one go, four rows above taken off a pass.
    dim, lanes = z.shape
    r = 0
    while r + 1 < dim:
        c = 0
        while c + 3 < r:
            a0, a1, a2, a3 = upper[c, r], upper[c + 1, r], upper[c + 2, r], upper[c + 3, r]
            b0, b1 = upper[c, r + 1], upper[c + 1, r + 1]
            b2, b3 = upper[c + 2, r + 1], upper[c + 3, r + 1]
            for k in range(lanes):
                z0, z1, z2, z3 = z[c, k], z[c + 1, k], z[c + 2, k], z[c + 3, k]
                z[r, k] -= (a0 * z0 + a1 * z1) + (a2 * z2 + a3 * z3)
                z[r + 1, k] -= (b0 * z0 + b1 * z1) + (b2 * z2 + b3 * z3)
            c += 4
        if c < r:  # r is even: two rows are left
            a0, a1, b0, b1 = upper[c, r], upper[c + 1, r], upper[c, r + 1], upper[c + 1, r + 1]
            for k in range(lanes):
                z[r, k] -= a0 * z[c, k] + a1 * z[c + 1, k]
                z[r + 1, k] -= b0 * z[c, k] + b1 * z[c + 1, k]
        u01, p0, p1 = upper[r, r + 1], reciprocals[r], reciprocals[r + 1]
        g0, g1 = moment[r], moment[r + 1]
        for k in range(lanes):
            z0 = z[r, k]
            z1 = z[r + 1, k] - u01 * z0
            z[r + 1, k] = z1
            means[k] += g0 * z0 + g1 * z1
            forms[k] += p0 * z0 * z0 + p1 * z1 * z1
        r += 2
    if r < dim:
        for c in range(r):
            a0 = upper[c, r]
            for k in range(lanes):
                z[r, k] -= a0 * z[c, k]
        p0, g0 = reciprocals[r], moment[r]
        for k in range(lanes):
            means[k] += g0 * z[r, k]
            forms[k] += p0 * z[r, k] * z[r, k]


@compiled
def absorb(upper, pivots, moment, ridge, features, arms, reward, observed):
    """Learn the rewards (n,) of the arms (n,) of the features (n, d, K) where observed (n,).

    Returns what ``first_refused`` does, before anything is written.
    """
    bad = first_refused(features, arms, observed, longest_square(ridge))
    if bad != -1:
        return bad
    n, dim, _ = features.shape
    x, steps = np.empty(dim), np.empty(dim)
    for i in range(n):
        if observed[i]:
            for j in range(dim):
                x[j] = features[i, j, arms[i]]
            rotate(upper[i], pivots[i], moment[i], x, reward[i], 1.0, steps)
    return -1


@inlined
def longest_square(ridge):
    """The largest finite ‖x‖² that a sample may have."""
    return min(LONGEST * ridge, 1e300)


@inlined
def first_refused(features, arms, observed, longest):
    """The first observed replicate whose chosen features are not finite, or -1.

    Returns -2 - i if the features of replicate i are longer than the root of ``longest``.
    """
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i]:
            square = 0.0
            for j in range(dim):
                square += features[i, j, arms[i]] * features[i, j, arms[i]]
            if not square <= longest:
                for j in range(dim):
                    if not math.isfinite(features[i, j, arms[i]]):
                        return i
                return -2 - i
    return -1


@inlined
def rotate(upper, pivots, moment, x, reward, weight, steps):
    """Add ``x`` (d,) with its reward and weight to one regression; writes ``steps`` (d,).

    Returns the remaining weight. ``x`` is overwritten.
    """
    # Unsigned: signed indices may count from the end, and loops with this test are not vectorised.
    dim = np.uint64(x.shape[0])
    for j in range(dim):
        entry, pivot = x[j], pivots[0, j]
        lifted = weight * entry
        total = pivot + lifted * entry
        reciprocal = 1.0 / total
        keep, step = pivot * reciprocal, lifted * reciprocal
        pivots[0, j] = total
        pivots[1, j] = reciprocal
        steps[j] = step
        weight *= keep
        above, below = moment[j], reward
        reward = below - entry * above
        if keep > 0.5:
            moment[j] = above + step * reward
            for c in range(j + _ONE, dim):
                rest = x[c] - entry * upper[j, c]
                upper[j, c] += step * rest
                x[c] = rest
        else:
            moment[j] = keep * above + step * below
            for c in range(j + _ONE, dim):
                above, below = upper[j, c], x[c]
                upper[j, c] = keep * above + step * below
                x[c] = below - entry * above
    return weight


@inlined
def predict_one(upper, pivots, moment, x):
    """Mean and variance of one arm ``x`` (d,), which is overwritten with z."""
    dim = np.uint64(x.shape[0])
    mean, variance = 0.0, 0.0
    for j in range(dim):
        entry = x[j]
        mean += moment[j] * entry
        variance += pivots[1, j] * entry * entry
        for c in range(j + _ONE, dim):
            x[c] -= entry * upper[j, c]
    return mean, variance


@inlined
def solve_upper(upper, u):
    """Solve ``U u' = u`` in place, four rows per pass, so that four sums are independent."""
    dim = u.shape[0]
    r = dim
    while r >= 4:
        s0, s1, s2, s3 = u[r - 4], u[r - 3], u[r - 2], u[r - 1]
        for c in range(r, dim):
            s0 -= upper[r - 4, c] * u[c]
            s1 -= upper[r - 3, c] * u[c]
            s2 -= upper[r - 2, c] * u[c]
            s3 -= upper[r - 1, c] * u[c]
        s2 -= upper[r - 2, r - 1] * s3
        s1 = (s1 - upper[r - 3, r - 1] * s3) - upper[r - 3, r - 2] * s2
        s0 = ((s0 - upper[r - 4, r - 1] * s3) - upper[r - 4, r - 2] * s2) - upper[r - 4, r - 3] * s1
        u[r - 4], u[r - 3], u[r - 2], u[r - 1] = s0, s1, s2, s3
        r -= 4
    while r > 0:
        r -= 1
        s0 = u[r]
        for c in range(r + 1, dim):
            s0 -= upper[r, c] * u[c]
        u[r] = s0


@compiled
def solve(upper, moment, theta):
    r"""Write the estimate :math:`\hat\theta` (n, d)."""
    for i in range(upper.shape[0]):
        for j in range(moment.shape[1]):
            theta[i, j] = moment[i, j]
        solve_upper(upper[i], theta[i])


@compiled
def multiply(upper, pivots, gram):
    """Write V (n, d, d)."""
    n, dim, _ = upper.shape
    gram[:] = 0.0
    for i in range(n):
        for j in range(dim):
            for r in range(j, dim):
                row = 1.0 if r == j else upper[i, j, r]
                for c in range(r, dim):
                    column = 1.0 if c == j else upper[i, j, c]
                    gram[i, r, c] += pivots[i, 0, j] * (row * column)
        for r in range(dim):
            for c in range(r):
                gram[i, r, c] = gram[i, c, r]


@compiled
def log_determinant(pivots, ridge, log_det):
    r"""Write :math:`\log\det V - d \log\lambda` (n,)."""
    n, _, dim = pivots.shape
    for i in range(n):
        log_det[i] = 0.0
        product = 1.0  # a product of ratios >= 1, so that one logarithm serves many
        for j in range(dim):
            product *= pivots[i, 0, j] / ridge
            if product > 1e150:
                log_det[i] += log(product)
                product = 1.0
        log_det[i] += log(product)


@compiled
def sample_parameters(upper, pivots, moment, width, keys, t, sampled):
    r"""Write :math:`\hat\theta + \text{width}\, U^{-1} D^{-1/2} \xi` as ``sampled`` (n, d).

    :math:`\xi` are the standard normals of replicate i's stream at its round ``t[i]``: these are
    draws of :math:`\mathcal{N}(\hat\theta, \text{width}^2 V^{-1})`.
    """
    normals = np.empty(moment.shape[1])
    for i in range(moment.shape[0]):
        _draw(upper[i], pivots[i], moment[i], width[i], keys[i], t[i], normals, sampled[i])


@compiled
def sample_means(upper, pivots, moment, width, keys, t, features, sampled):
    r"""Write the means (n, K) of the arms by the parameters of ``sample_parameters``.

    Returns the first replicate with a mean that is not finite, or -1.
    """
    n, dim, n_arms = features.shape
    normals, parameter = np.empty(dim), np.empty(dim)
    for i in range(n):
        _draw(upper[i], pivots[i], moment[i], width[i], keys[i], t[i], normals, parameter)
        for k in range(n_arms):
            sampled[i, k] = 0.0
        for j in range(dim):
            weight = parameter[j]
            for k in range(n_arms):
                sampled[i, k] += weight * features[i, j, k]
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(sampled[i, k])  # not finite if a feature was not
        if bad > 0:
            return i
    return -1


@inlined
def _draw(upper, pivots, moment, width, key, t, normals, parameter):
    fill_normal(key[0], key[1], t, normals)
    for j in range(normals.shape[0]):
        parameter[j] = moment[j] + width * (math.sqrt(pivots[1, j]) * normals[j])
    solve_upper(upper, parameter)
