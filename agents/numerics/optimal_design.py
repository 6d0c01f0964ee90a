r"""G-optimal designs: how often to play each arm, so that the arm known least well is known best.

A design is a distribution :math:`\pi` on arms :math:`x_k \in R^d`. With :math:`V(\pi) = \sum_k
\pi_k x_k x_k^\top`, arm k has the leverage :math:`g_k = x_k^\top V(\pi)^{-1} x_k`, the variance of
its estimate from many plays, in units of the noise's variance over the number of plays. If the arms
span r dimensions, the largest leverage is r at least, and r exactly for the optimal designs (Kiefer
and Wolfowitz).

The design begins with r arms that Gram and Schmidt choose, each the farthest from the span of those
before it, and has them as coordinates: arm k is :math:`\sum_j y_{jk} x_{a_j}`, and its leverage
:math:`r \sum_j y_{jk}^2`. Then, while the largest leverage :math:`g_i` is above r times a bound,
the arm i gets the weight s that lowers the determinant of :math:`V(\pi)^{-1}` most,

.. math:: \pi \leftarrow (1 - s) \pi + s e_i, \qquad s = \frac{g_i / r - 1}{g_i - 1}.

The start costs :math:`O(r d K)`, a step :math:`O(r K + r^2)`.

References
----------
V. Fedorov. Theory of Optimal Experiments. Academic Press 1972, from memory. The step was read in
the published code of ``panxulab/optimal-batched-linear-bandits``, which begins with the uniform
design.
"""

import math

import numpy as np

from banditgym.compiled import borrowing, inlined

_STEPS = 16  # at most, for each dimension that the arms span


@inlined
def design_scratch(dim, n_arms):
    """Arrays that ``fill_design`` overwrites."""
    chosen = np.empty(dim, np.int64)
    return np.empty((2, dim, n_arms)), np.empty((dim, dim)), np.empty((2, n_arms)), chosen


@borrowing
def fill_design(arms, bound, negligible, scratch, design):
    """Write a design (K,) of arms (d, K), with leverages of at most ``bound`` > 1 times r.

    It is that of 16 r steps if these do not suffice.

    An arm whose squared distance to the span of those chosen is at most ``negligible`` times the
    largest squared length lies in the span. Returns r; if it is 0, no arm has a length, and the
    design is all zeros.
    """
    (rest, parts), inverse, (leverage, products), chosen = scratch
    n_arms = arms.shape[1]
    rank = _choose_basis(arms, negligible, rest, parts, products, chosen)
    _combine(parts, rank, chosen)
    for k in range(n_arms):
        design[k], leverage[k] = 0.0, 0.0
        for j in range(rank):
            leverage[k] += rank * parts[j, k] * parts[j, k]
    for j in range(rank):
        design[chosen[j]] = 1.0 / rank
        for c in range(rank):
            inverse[j, c] = float(rank) if c == j else 0.0
    for _ in range(_STEPS * rank):
        i = 0
        for k in range(1, n_arms):
            if leverage[k] > leverage[i]:
                i = k
        if not leverage[i] > bound * rank:
            break
        share = (leverage[i] / rank - 1.0) / (leverage[i] - 1.0)
        _add(parts, rank, i, share, inverse, leverage, products, rest)
        for k in range(n_arms):
            design[k] *= 1.0 - share
        design[i] += share
    return rank


@inlined
def _choose_basis(arms, negligible, rest, parts, lengths, chosen):
    """Choose arms by Gram and Schmidt, and write all arms' parts along their directions."""
    dim, n_arms = arms.shape
    longest = 0.0
    for j in range(dim):
        for k in range(n_arms):
            rest[j, k] = arms[j, k]
    for rank in range(dim):
        for k in range(n_arms):
            lengths[k] = 0.0
        for j in range(dim):
            for k in range(n_arms):
                lengths[k] += rest[j, k] * rest[j, k]
        farthest = 0
        for k in range(1, n_arms):
            if lengths[k] > lengths[farthest]:
                farthest = k
        longest = max(longest, lengths[farthest])
        if not lengths[farthest] > negligible * longest:
            return rank
        chosen[rank] = farthest
        reciprocal = 1.0 / math.sqrt(lengths[farthest])
        for k in range(n_arms):
            parts[rank, k] = 0.0
        for j in range(dim):
            weight = rest[j, farthest] * reciprocal
            for k in range(n_arms):
                parts[rank, k] += weight * rest[j, k]
        for j in range(dim):
            weight = rest[j, farthest] * reciprocal
            for k in range(n_arms):
                rest[j, k] -= weight * parts[rank, k]
            rest[j, farthest] = 0.0
    return dim


@inlined
def _combine(parts, rank, chosen):
    """Replace parts along directions by coefficients of the chosen arms."""
    for j in range(rank - 1, -1, -1):
        for c in range(j + 1, rank):
            weight = parts[j, chosen[c]]
            for k in range(parts.shape[1]):
                if k != chosen[c]:
                    parts[j, k] -= weight * parts[c, k]
            parts[j, chosen[c]] = 0.0
        reciprocal = 1.0 / parts[j, chosen[j]]
        for k in range(parts.shape[1]):
            parts[j, k] *= reciprocal
        parts[j, chosen[j]] = 1.0


@inlined
def _add(parts, rank, i, share, inverse, leverage, products, scratch):
    """Give arm i a share of the design; keep the inverse of V and the leverages."""
    solved = scratch[:, 0]
    for j in range(rank):
        total = 0.0
        for c in range(rank):
            total += inverse[j, c] * parts[c, i]
        solved[j] = total
    for k in range(parts.shape[1]):
        products[k] = 0.0
    for j in range(rank):
        for k in range(parts.shape[1]):
            products[k] += solved[j] * parts[j, k]
    grown = 1.0 / (1.0 - share)
    taken = share / (1.0 - share + share * leverage[i])
    for k in range(parts.shape[1]):
        leverage[k] = grown * (leverage[k] - taken * products[k] * products[k])
    for j in range(rank):
        for c in range(rank):
            inverse[j, c] = grown * (inverse[j, c] - taken * solved[j] * solved[c])


@borrowing
def fit_by_design(rank, pulls, sums, scratch, mean):
    """Write the least squares means (K,) of the arms that ``fill_design`` was last given.

    ``pulls`` and ``sums`` (K,) are the numbers and the sums of their rewards, of arms that span all
    ``rank`` dimensions. Overwrites the scratch memory, apart from the arms' coefficients. An arm
    that was given as zeros has a mean of 0.
    """
    (rest, parts), gram, _, _ = scratch
    right = rest[:, 0]
    for j in range(rank):
        right[j] = 0.0
        for c in range(rank):
            gram[j, c] = 0.0
    for k in range(mean.shape[0]):
        for j in range(rank):
            right[j] += sums[k] * parts[j, k]
            for c in range(rank):
                gram[j, c] += pulls[k] * (parts[j, k] * parts[c, k])
    for j in range(rank):  # elimination without pivoting: the matrix is positive definite
        for r in range(j + 1, rank):
            weight = gram[r, j] / gram[j, j]
            for c in range(j, rank):
                gram[r, c] -= weight * gram[j, c]
            right[r] -= weight * right[j]
    for j in range(rank - 1, -1, -1):
        for c in range(j + 1, rank):
            right[j] -= gram[j, c] * right[c]
        right[j] /= gram[j, j]
    for k in range(mean.shape[0]):
        mean[k] = 0.0
        for j in range(rank):
            mean[k] += parts[j, k] * right[j]
