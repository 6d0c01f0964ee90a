r"""The logistic regression of all samples, with a ridge or within a ball, by Newton's method.

:math:`\hat\theta = \arg\min \sum_s \ell(\theta; x_s, r_s) + \frac{\lambda}{2} \lVert\theta\rVert^2`
over :math:`\lVert\theta\rVert \le S`. A step goes to the minimum, in the ball, of the quadratic
that touches the sum at the current point, or half as far until the sum does not grow. Where that
minimum is on the sphere, its multiplier :math:`\mu` is found as in ``streaming``. Without a ridge
and with fewer samples than features the quadratic is flat in some directions; a tiny multiple of I
keeps the steps out of these.
"""

import math

from agents.numerics.logistic.streaming import solve_factored
from agents.numerics.ridge.cholesky import factorise
from banditgym.compiled import borrowing, inlined
from banditgym.elementary.log_odds import log_loss, logistic

_STEPS, _HALVINGS, _NEAR = 50, 40, 1e-11


@borrowing
def fit(samples, count, known, theta, scratch):
    """Move ``theta`` (d,) to the minimum for the first ``count`` of samples (m, d + 1).

    ``known`` are the ridge and S, which may be infinite. ``scratch`` are two matrices (d, d), of
    which the first is then the upper part of the sum of slopes times x x^T, with the ridge; and
    four rows (d,).
    """
    (ridge, radius), ((hessian, factor), rows) = known, scratch
    gradient, following = rows[0], rows[1]
    dim = theta.shape[0]
    for _ in range(_STEPS):
        loss = _expand(samples, count, ridge, theta, gradient, hessian)
        for r in range(dim):
            following[r] = -gradient[r]
            for c in range(dim):
                following[r] += (hessian[r, c] if c >= r else hessian[c, r]) * theta[c]
        _minimum_in_ball(hessian, radius, following, factor, rows)
        square, length = 0.0, 1.0
        for j in range(dim):
            following[j] -= theta[j]
            square += following[j] * following[j]
            length += theta[j] * theta[j]
        if square <= _NEAR * _NEAR * length:
            return
        share = 1.0
        for _ in range(_HALVINGS):
            if _loss(samples, count, ridge, theta, following, share) <= loss + 1e-13 * (1.0 + loss):
                break
            share *= 0.5
        for j in range(dim):
            theta[j] += share * following[j]


@inlined
def _expand(samples, count, ridge, theta, gradient, hessian):
    """Write the gradient and the upper part of the Hessian; returns the sum of losses."""
    dim, loss = theta.shape[0], 0.0
    for r in range(dim):
        gradient[r] = ridge * theta[r]
        loss += 0.5 * ridge * theta[r] * theta[r]
        for c in range(r, dim):
            hessian[r, c] = ridge if c == r else 0.0
    for s in range(count):
        score, reward = 0.0, samples[s, dim]
        for j in range(dim):
            score += samples[s, j] * theta[j]
        loss += log_loss(score, reward)
        mean = logistic(score)
        weight = mean * logistic(-score)
        for r in range(dim):
            gradient[r] += (mean - reward) * samples[s, r]
            lifted = weight * samples[s, r]
            for c in range(r, dim):
                hessian[r, c] += lifted * samples[s, c]
    return loss


@inlined
def _loss(samples, count, ridge, theta, direction, share):
    """The sum of losses at ``theta + share * direction``."""
    dim, loss = theta.shape[0], 0.0
    for j in range(dim):
        moved = theta[j] + share * direction[j]
        loss += 0.5 * ridge * moved * moved
    for s in range(count):
        score = 0.0
        for j in range(dim):
            score += samples[s, j] * (theta[j] + share * direction[j])
        loss += log_loss(score, samples[s, dim])
    return loss


@borrowing
def _minimum_in_ball(hessian, radius, image, factor, rows):
    """Replace ``image``, b, by the minimum of y^T H y / 2 - b^T y over the norms up to S."""
    dim, given, reached, shift = image.shape[0], rows[2], rows[3], 0.0
    for j in range(dim):
        given[j] = image[j]
        shift += hessian[j, j]
    shift *= 1e-13
    for j in range(dim):
        hessian[j, j] += shift
    total = shift
    for _ in range(_STEPS):
        factorise(hessian, 1e-300, factor)
        square, bend = 0.0, 0.0
        for j in range(dim):
            image[j] = given[j]
        solve_factored(factor, image)
        for j in range(dim):
            reached[j] = image[j]
            square += image[j] * image[j]
        norm = math.sqrt(square)
        if norm <= radius * (1.0 + 1e-12):
            break
        solve_factored(factor, reached)
        for j in range(dim):
            bend += image[j] * reached[j]
        shift = (norm - radius) / radius * square / bend
        total += shift
        for j in range(dim):
            hessian[j, j] += shift
    for j in range(dim):
        hessian[j, j] -= total
