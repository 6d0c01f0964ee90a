r"""Ridge regression on a sketch of the samples: frequent directions.

The sketch S has m rows, the last of which is free. A sample becomes the last row, and the sketch
becomes

.. math:: S' = (\Sigma^2 - \sigma_m^2 I)^{1/2} U^\top \quad\text{from}\quad S = V \Sigma U^\top,

so that its last row is free again, for any rotation V. Then, with the shrinkage :math:`\rho = \sum
\sigma_m^2` and all samples X,

.. math:: 0 \preceq X^\top X - S^\top S \preceq \rho I.

The state is the orthonormal rows U (``basis``), the squares of :math:`\Sigma` (``energy``), and the
moment :math:`\sum r x`, as its coordinates along U (``along``) and its component orthogonal to U
(``across``), which is 0 until a shrinkage. A sample x with coordinates y and a remainder changes
:math:`\Sigma^2` to a diagonal matrix plus one outer product (``secular.py``). By Woodbury's
identity, with eigenvalues :math:`e`,

.. math:: x^\top (S^\top S + \lambda I)^{-1} x
    = \sum_i \frac{y_i^2}{e_i + \lambda} + \frac{\lVert x - U^\top y\rVert^2}{\lambda}.

No d x d matrix is formed. Rotations keep the basis orthonormal, after 50,000 of them to 1e-13. An
update costs :math:`O(m^2 d)`, a prediction :math:`O(m d)` per arm.
"""

import math

import numpy as np

from agents.inputs.feature_limits import cause
from agents.numerics.ridge.factor_predictions import LEFT_LOOKING_FROM
from agents.numerics.ridge.secular import decompose
from banditgym.compiled import compiled, inlined
from banditgym.elementary import log1p
from banditgym.linalg.product import add_row_product, row_product

LONGEST = 1e250  # ‖x‖² and ‖x‖²/ridge above which sums might overflow
_ROUNDING = 64 * 2.0**-52  # times ‖x‖: a remainder this short is rounding
_CANCELLED = 1e-3  # share of ‖x‖² below which a remainder is not computed as a difference


@compiled
def predict_sketched(model, features, mean, variance):
    r"""Write mean :math:`x^\top\theta` and variance, both (n, K), of the features (n, d, K).

    ``model`` is ``agents.parts.estimators.frequent_directions.SketchedArms``. Squares of a length
    are added one by one and scaled last if arms are fixed, else added in pairs and scaled first, as
    ridge regression does with fixed and with fresh arms, so that before any data arms of one length
    tie as they do there. Returns the first replicate with a feature that is not finite, -2 - i
    where features are too long, or -1.
    """
    basis, energy, rank = model.basis, model.energy, model.rank
    theta, ridge = model.theta, model.ridge
    n, dim, n_arms = features.shape
    prior, rest, y = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    for i in range(n):
        x = features[i]
        _add_squares(x, ridge, not model.fixed, prior)
        bad = 0
        for k in range(n_arms):
            bad += not (prior[k] <= LONGEST and prior[k] * ridge <= LONGEST)
            rest[k] = prior[k]
            mean[i, k] = 0.0
            variance[i, k] = 0.0
        if bad > 0:
            return cause(features, i)
        for j in range(dim):
            for k in range(n_arms):
                mean[i, k] += theta[i, j] * x[j, k]
        for r in range(rank[i]):
            row_product(basis[i, r], x, y)
            weight, share = 1.0 / (energy[i, r] + ridge), 1.0 / ridge
            for k in range(n_arms):
                square = y[k] * y[k]
                variance[i, k] += weight * square
                rest[k] -= share * square
        if rank[i] < dim:
            for k in range(n_arms):
                if rest[k] < _CANCELLED * prior[k]:
                    rest[k] = _remainder(basis[i], rank[i], x, k) / ridge
                variance[i, k] += rest[k]
    return -1


@inlined
def _add_squares(x, ridge, paired, prior):
    dim, n_arms = x.shape
    for k in range(n_arms):
        prior[k] = 0.0
    if paired:
        weight, j = 1.0 / ridge, 0
        pairs = dim if dim >= LEFT_LOOKING_FROM else dim // 4 * 4  # as in factor.predict
        while j + 1 < pairs:
            for k in range(n_arms):
                prior[k] += (weight * x[j, k]) * x[j, k] + (weight * x[j + 1, k]) * x[j + 1, k]
            j += 2
        while j < dim:
            for k in range(n_arms):
                prior[k] += (weight * x[j, k]) * x[j, k]
            j += 1
    else:
        for j in range(dim):
            for k in range(n_arms):
                prior[k] += x[j, k] * x[j, k]
        for k in range(n_arms):
            prior[k] /= ridge


@inlined
def _remainder(basis, rank, x, k):
    """The squared length of arm k outside the span of the basis, by its vector."""
    dim = x.shape[0]
    p = np.empty(dim)
    for j in range(dim):
        p[j] = x[j, k]
    _project_out(basis, rank, p, np.zeros(rank))
    return _dot(p, p)


@inlined
def _project_out(basis, rank, p, y):
    """Subtract from ``p`` (d,) its projection on the basis, and add the coordinates to ``y``."""
    for r in range(rank):
        product = _dot(basis[r], p)
        y[r] += product
        _add(-product, basis[r], p)


@inlined
def _dot(a, b):
    # Four independent sums, which is faster than one.
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    j, dim = 0, a.shape[0]
    while j + 3 < dim:
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        j += 4
    while j < dim:
        s0 += a[j] * b[j]
        j += 1
    return (s0 + s1) + (s2 + s3)


@inlined
def _add(weight, row, out):
    for j in range(out.shape[0]):
        out[j] += weight * row[j]


@compiled
def absorb_sketched(model, features, arms, reward, observed):
    """Add the chosen arms (n,) and their rewards (n,) to the sketch, and shrink it if it is full.

    Returns as ``predict_sketched``, before anything is written.
    """
    basis, energy, rank, ridge = model.basis, model.energy, model.rank, model.ridge
    n, dim, _ = features.shape
    rows = basis.shape[1]
    chosen = np.empty((n, dim))
    for i in range(n):
        if observed[i]:
            for j in range(dim):
                chosen[i, j] = features[i, j, arms[i]]
            square = _dot(chosen[i], chosen[i])
            if not (square <= LONGEST and square / ridge <= LONGEST):
                return cause(features[:, :, arms[i] : arms[i] + 1], i)
    y, weights = np.empty(rows), np.empty(rows)
    roots, turn, turned = np.empty(rows), np.empty((rows, rows)), np.empty((rows, dim))
    for i in range(n):
        if not observed[i]:
            continue
        across, along = model.across[i], model.along[i]
        k = _extend(basis[i], energy[i], rank[i], along, across, chosen[i], y)
        for r in range(k):
            along[r] += reward[i] * y[r]
        decompose(energy[i, :k], y[:k], roots[:k], turn)
        # Each direction, and the moment along it, by its row of turn.
        for r in range(k):
            row_product(turn[r, :k], basis[i], turned[r])
            weights[r] = 0.0
            for s in range(k):
                weights[r] += turn[r, s] * along[s]
        for r in range(k):
            along[r] = weights[r]
            for j in range(dim):
                basis[i, r, j] = turned[r, j]
        lost = 0.0
        if k == model.size:
            lost = roots[k - 1]
            model.shrinkage[i] += lost
            k -= 1
            _add(along[k], basis[i, k], across)
        model.log_det[i] = 0.0
        for r in range(k):
            energy[i, r] = roots[r] - lost
            model.log_det[i] += log1p(energy[i, r] / ridge)
            weights[r] = along[r] / (energy[i, r] + ridge)
        rank[i] = k
        for j in range(dim):
            model.theta[i, j] = across[j] / ridge
        add_row_product(weights[:k], basis[i], model.theta[i])
    return -1


@inlined
def _extend(basis, energy, k, along, across, x, y):
    """Write the coordinates of x (d,) along the first k rows, and its remainder as a further row.

    There is none if the basis is full, or x lies in its span. Returns the number of rows.
    """
    length = math.sqrt(_dot(x, x))
    for r in range(k):
        y[r] = 0.0
    _project_out(basis, k, x, y)
    left = math.sqrt(_dot(x, x))
    if left < 0.5 * length:
        # Twice: the rounding error of the first pass would not be small beside a short remainder.
        _project_out(basis, k, x, y)
        left = math.sqrt(_dot(x, x))
    if k == basis.shape[0] or not left > _ROUNDING * length:
        return k
    y[k], energy[k] = left, 0.0
    for j in range(x.shape[0]):
        basis[k, j] = x[j] / left
    along[k] = _dot(basis[k], across)
    _add(-along[k], basis[k], across)
    return k + 1
