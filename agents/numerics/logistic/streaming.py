r"""Logistic regression by one sample after the other, in :math:`O(d^2)` each.

A quadratic :math:`\frac12 \lVert\theta - \theta_t\rVert_V^2` stands for all past samples, with V
and :math:`U \theta_t` as in ``agents.numerics.ridge.factor``. A sample x with reward r moves the
estimate to

.. math:: \theta' = \arg\min_\theta \tfrac12 \lVert\theta - \theta_t\rVert_V^2
    + \ell(\theta; x, r), \qquad \ell(\theta; x, r) = \log(1 + e^{\langle x, \theta\rangle})
    - r \langle x, \theta\rangle,

and V grows by :math:`\dot\sigma(\langle x, \theta'\rangle) x x^\top`. As :math:`\theta'` lies on
the line :math:`\theta_t + s V^{-1} x`, its score :math:`z = \langle x, \theta'\rangle` is the root
of one increasing function. The same :math:`\theta'` is then the weighted least-squares update with
weight :math:`\dot\sigma(z)` and outcome :math:`z + (r - \sigma(z)) / \dot\sigma(z)`.
"""

import math

from agents.inputs.feature_limits import longest_square
from agents.numerics.ridge.cholesky import factorise
from agents.numerics.ridge.factor import rotate
from agents.numerics.ridge.factor_contents import predict_one, solve_upper
from banditgym.compiled import borrowing, inlined
from banditgym.elementary.log_odds import log_loss, logistic

_STEPS = 60
_LEAST_WEIGHT = 1e-200  # so that the outcome is finite, however large the score


@inlined
def read_sample(features, i, arm, ridge, x):
    """Write an arm's features as ``x`` (d,); whether they are finite, and not too long."""
    square = 0.0
    for j in range(x.shape[0]):
        x[j] = features[i, j, arm]
        square += x[j] * x[j]
    return square <= longest_square(ridge)


@inlined
def slope(score):
    """The derivative of the logistic function."""
    return logistic(score) * logistic(-score)


@inlined
def updated_score(score, variance, outcome, times):
    r"""The root z of :math:`z = z_0 + v (r - m \sigma(z))`: ``score``, ``variance``, r and m.

    It is the score of the estimate that has learned m copies of the sample whose rewards add up to
    r. Newton's method, within the interval in which the root is.
    """
    low, high, z = score + variance * (outcome - times), score + variance * outcome, score
    for _ in range(_STEPS):
        excess = (z - score) - variance * (outcome - times * logistic(z))
        if excess > 0.0:
            high = z
        else:
            low = z
        step = excess / (1.0 + variance * times * slope(z))
        if abs(step) <= 1e-9 * (1.0 + abs(z)):  # the next step would be its square
            return z - step
        z -= step
        if not low < z < high:
            z = 0.5 * (low + high)
    return z


@borrowing
def absorb_logistic(upper, pivots, moment, x, reward, scratch):
    """Learn a sample ``x`` (d,) with its reward; overwrites it, and two of (d,)."""
    z, steps = scratch
    for j in range(x.shape[0]):
        z[j] = x[j]
    score, variance = predict_one(upper, pivots, moment, z)
    score = updated_score(score, variance, reward, 1.0)
    weight = max(slope(score), _LEAST_WEIGHT)
    rotate(upper, pivots, moment, x, score + (reward - logistic(score)) / weight, weight, steps)


@borrowing
def absorb_within_ball(factor, x, reward, radius, scratch):
    r"""Learn a sample as above, among the estimates whose norm is at most S, the ``radius``.

    ``factor`` is U, D beside 1 / D, and :math:`U\theta`, of one replicate; ``scratch`` are two
    matrices (d, d) and nine rows (d,). Returns :math:`\ell(\bar\theta; x, r) - \ell(\theta'; x,
    r)` and :math:`\lVert\theta' - \bar\theta\rVert_V` for the old V, where :math:`\bar\theta`
    has learned from :math:`\theta'` the sample twice, with rewards 0 and 1.
    """
    (upper, pivots, moment), (_, rows) = factor, scratch
    theta, bar, direction, work = rows[0], rows[1], rows[2], rows[3]
    dim = x.shape[0]
    for j in range(dim):
        theta[j] = moment[j]
        direction[j] = x[j]
    solve_upper(upper, theta)
    _solve(upper, pivots, direction)
    _move_within_ball(upper, pivots, theta, x, direction, (reward, 1.0, radius), scratch)
    for j in range(dim):
        bar[j] = theta[j]
    _move_within_ball(upper, pivots, bar, x, direction, (1.0, 2.0, radius), scratch)
    score, opposed, square = 0.0, 0.0, 0.0
    for j in range(dim):
        score += x[j] * theta[j]
        opposed += x[j] * bar[j]
        work[j] = theta[j] - bar[j]
    for j in range(dim):
        image = work[j]
        for c in range(j + 1, dim):
            image += upper[j, c] * work[c]
        square += pivots[0, j] * (image * image)
    rotate(upper, pivots, moment, x, 0.0, max(slope(score), _LEAST_WEIGHT), work)
    for j in range(dim):
        moment[j] = theta[j]
        for c in range(j + 1, dim):
            moment[j] += upper[j, c] * theta[c]
    return log_loss(opposed, reward) - log_loss(score, reward), math.sqrt(square)


@borrowing
def _move_within_ball(upper, pivots, theta, x, direction, sample, scratch):
    """Move ``theta`` (d,) by a sample: its r and m as in ``updated_score``, and S.

    ``direction`` is :math:`V^{-1} x`.
    """
    (outcome, times, radius), moved = sample, scratch[1][4]
    score, variance, square = 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        score += x[j] * theta[j]
        variance += x[j] * direction[j]
    force = outcome - times * logistic(updated_score(score, variance, outcome, times))
    for j in range(x.shape[0]):
        moved[j] = theta[j] + force * direction[j]
        square += moved[j] * moved[j]
    if square > radius * radius:
        _move_to_sphere(upper, pivots, theta, x, sample, scratch)
        return
    for j in range(x.shape[0]):
        theta[j] = moved[j]


@inlined
def _solve(upper, pivots, y):
    r"""Replace y (d,) by :math:`V^{-1} y`."""
    dim = y.shape[0]
    for j in range(dim):
        entry = y[j]
        for c in range(j + 1, dim):
            y[c] -= entry * upper[j, c]
        y[j] = entry * pivots[1, j]
    solve_upper(upper, y)


@borrowing
def _move_to_sphere(upper, pivots, theta, x, sample, scratch):
    r"""The same where the norm of the result is S: that of :math:`V + \mu I` in place of V.

    :math:`\mu` is found by Newton's method for 1 / norm, with one factorisation for each step
    but the first; scratch[1][4] is the result for :math:`\mu = 0`.
    """
    dim, (outcome, times, radius), ((gram, factor), rows) = x.shape[0], sample, scratch
    image, along, reached, square, bend = rows[5], rows[6], rows[7], 0.0, 0.0
    for j in range(dim):
        reached[j] = rows[4, j]
        square += rows[4, j] * rows[4, j]
    _solve(upper, pivots, reached)
    for j in range(dim):  # without the curvature of the loss: a smaller step, which is still safe
        bend += rows[4, j] * reached[j]
    of_shift = (math.sqrt(square) - radius) / radius * square / bend
    _multiply(upper, pivots, gram)
    for r in range(dim):
        image[r] = 0.0
        for c in range(dim):
            image[r] += (gram[r, c] if c >= r else gram[c, r]) * theta[c]
    for _ in range(_STEPS):
        for r in range(dim):
            gram[r, r] += of_shift
        factorise(gram, 0.0, factor)
        for j in range(dim):
            theta[j] = image[j]
            along[j] = x[j]
        solve_factored(factor, theta)
        solve_factored(factor, along)
        score, variance = 0.0, 0.0
        for j in range(dim):
            score += x[j] * theta[j]
            variance += x[j] * along[j]
        z = updated_score(score, variance, outcome, times)
        force, weight = outcome - times * logistic(z), times * slope(z)
        square, inner = 0.0, 0.0
        for j in range(dim):
            theta[j] += force * along[j]
            reached[j] = theta[j]
            square += theta[j] * theta[j]
            inner += along[j] * theta[j]
        norm = math.sqrt(square)
        if abs(norm - radius) <= 1e-11 * radius:
            return
        solve_factored(factor, reached)
        bend = -weight * inner * inner / (1.0 + weight * variance)
        for j in range(dim):
            bend += theta[j] * reached[j]
        of_shift = (norm - radius) / radius * square / bend


@inlined
def _multiply(upper, pivots, gram):
    """Write the upper part of V."""
    dim = gram.shape[0]
    for r in range(dim):
        for c in range(r, dim):
            gram[r, c] = 0.0
    for j in range(dim):  # row by row of U, along rows
        for r in range(j, dim):
            lifted = pivots[0, j] * (1.0 if r == j else upper[j, r])
            for c in range(max(r, j + 1), dim):
                gram[r, c] += lifted * upper[j, c]
        gram[j, j] += pivots[0, j]


@inlined
def solve_factored(factor, y):
    """Solve in place with the factor of ``agents.numerics.ridge.cholesky.factorise``."""
    dim = y.shape[0]
    for r in range(dim):
        y[r] *= factor[r, r]
        for c in range(r + 1, dim):
            y[c] -= factor[r, c] * y[r]
    for back in range(dim):
        r = dim - 1 - back
        for c in range(r + 1, dim):
            y[r] -= factor[r, c] * y[c]
        y[r] *= factor[r, r]
