r"""The probability that each of independent samples is the largest, by quadrature.

With the density :math:`f_k` and the distribution function :math:`F_k` of sample k it is

.. math:: p_k = \int f_k(x) \prod_{j \ne k} F_j(x) \, dx.

Samples are normal, or of Beta distributions; of these the logarithm of the odds is integrated,
whose density has no singular ends. The line is cut into pieces: none is longer than the spread of a
sample or, away from it, 0.4 of the distance. A Gauss-Legendre rule of 16 nodes integrates each
piece, and the densities up to every node, so that no distribution function is called. Errors are
below 1e-12. It takes O(K) time for each piece, of which samples of one scale need some 30.
"""

import functools
import math

import numpy as np

from banditgym.compiled import borrowing, compiled
from banditgym.elementary import each_cos, each_log, exp, expm1, log1p

_NODES = 16
_WITHIN, _BEYOND = 1.0, 0.4  # longest pieces, over a spread and over a distance
_REACH, _FALLS = 9.0, 40.0  # a density ends where it has fallen by exp(-40)
_POINT = 1e-12  # a spread that is less, relative to the distance from the largest, is none


def largest_normal(mean: np.ndarray, deviation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """How probably each arm's sample is the largest (n, K), if samples are normal and independent.

    Only arms in the mask (n, K) take part. With deviation 0 the sample is the mean, which may then
    be infinite. Of equal samples the first counts as the largest.
    """
    none = np.zeros(mean.shape)
    return _largest(mean, (deviation, _REACH * deviation, none, none), mask)


def largest_beta(a: np.ndarray, b: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The same for samples of Beta(a, b); a and b are (n, K) and at least 1."""
    spread = np.sqrt(1.0 / a + 1.0 / b)
    reach = _REACH * spread + _FALLS / np.minimum(a, b)  # tails are those of exp(a x), exp(-b x)
    return _largest(each_log(a / b), (spread, reach, a, b), mask)


def _largest(location, law, mask) -> np.ndarray:
    top = np.where(mask, location, -np.inf).max(axis=1, keepdims=True)
    center = np.subtract(location, top, out=np.zeros(mask.shape), where=location != top)
    spread_out = mask & (law[0] > _POINT * abs(center))
    points = np.where(mask & ~spread_out, center, -np.inf)
    floor, p = points.max(axis=1), np.zeros(mask.shape)
    _fill((center, *law, spread_out), floor, _gauss_legendre(), p)
    left = np.where(floor > -np.inf, np.maximum(1.0 - p.sum(axis=1), 0.0), 0.0)
    p[np.arange(len(p)), points.argmax(axis=1)] += left  # what is largest if no other is
    return p / p.sum(axis=1, keepdims=True)


@functools.cache
def _gauss_legendre() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes and weights (m,) on [0, 1], and the integrals (m, m) of interpolants up to the nodes.

    ``integrals[q, r]`` is the weight of the value at node r in the integral up to node q.
    """
    m = _NODES
    x = each_cos(math.pi * (np.arange(m, 0, -1) - 0.25) / (m + 0.5))
    for _ in range(5):  # Newton's method
        values = _legendre(x)
        x = x + values[m] * (1.0 - x * x) / (m * (x * values[m] - values[m - 1]))
    values = _legendre(x)
    weights = (1.0 - x * x) / (m * m * values[m - 1] * values[m - 1])
    integrals = np.ones((m, 1)) * (1.0 + x[:, None]) / 2.0  # of the polynomial 1, then of others
    for k in range(1, m):
        integrals = integrals + (values[k + 1] - values[k - 1])[:, None] * values[k] / 2.0
    return (1.0 + x) / 2.0, weights, integrals * weights


def _legendre(x: np.ndarray) -> list[np.ndarray]:
    """The Legendre polynomials of degrees 0 to m at x."""
    values = [np.ones_like(x), x]
    for k in range(1, _NODES):
        values.append(((2 * k + 1) * x * values[k] - k * values[k - 1]) / (k + 1))
    return values


@compiled
def _fill(samples, floor, rule, p):
    scratch = np.empty((4, p.shape[1])), np.empty((_NODES, p.shape[1]))
    for i in range(p.shape[0]):
        center, spread, reach, a, b, kept = samples
        own = center[i], spread[i], reach[i], a[i], b[i], kept[i]
        _integrate(own, floor[i], rule, scratch, p[i])


@borrowing
def _integrate(samples, floor, rule, scratch, p):
    """Add the probability that a sample is the largest, and above ``floor``, to p (K,)."""
    (center, spread, reach, _, _, kept), (nodes, weights, _) = samples, rule
    (work, density), low, high = scratch, math.inf, -math.inf
    sums, totals, n_arms = work[0], work[1], center.shape[0]
    for k in range(n_arms):
        if kept[k]:
            low, high = min(low, center[k] - reach[k]), max(high, center[k] + reach[k])
            floor = max(floor, center[k] - reach[k])
    for adds in range(2):  # first all of each density, and then the probabilities
        for k in range(n_arms):
            totals[k] = sums[k] if adds else 1.0
            sums[k] = 0.0
        x = low
        while x < high:
            end = min(high, floor) if x < floor else high
            for k in range(n_arms):
                if kept[k] and x < center[k] + reach[k]:
                    end = min(end, x + max(_WITHIN * spread[k], _BEYOND * abs(x - center[k])))
            _fill_densities(samples, nodes, x, end - x, density)
            if adds and x >= floor:
                _add_piece(rule, end - x, work, density, p)
            for k in range(n_arms):
                for r in range(_NODES):
                    sums[k] += (end - x) * weights[r] * density[r, k]
            x = end


@borrowing
def _fill_densities(samples, nodes, x, width, density):
    """Write the densities (m, K), but for a factor, at the nodes of a piece from x on."""
    center, spread, reach, a, b, kept = samples
    for q in range(_NODES):
        for k in range(center.shape[0]):
            u = x + width * nodes[q] - center[k]
            if not kept[k] or abs(u) > reach[k]:
                density[q, k] = 0.0
            elif a[k] > 0.0:  # over that at the center, where the odds are a / b
                odds = log1p(a[k] / (a[k] + b[k]) * expm1(u))
                density[q, k] = exp(a[k] * u - (a[k] + b[k]) * odds)
            else:
                density[q, k] = exp(-0.5 * (u / spread[k]) * (u / spread[k]))


@borrowing
def _add_piece(rule, width, work, density, p):
    (_, weights, integrals), sums, totals, below, others = rule, work[0], work[1], work[2], work[3]
    for q in range(_NODES):
        product = 1.0
        for k in range(p.shape[0]):
            inside, others[k], below[k] = 0.0, product, 1.0
            for r in range(_NODES):
                inside += integrals[q, r] * density[r, k]
            if totals[k] > 0.0:
                below[k] = min(max((sums[k] + width * inside) / totals[k], 0.0), 1.0)
            product *= below[k]
        product = 1.0
        for k in range(p.shape[0] - 1, -1, -1):
            if density[q, k] > 0.0:
                p[k] += weights[q] * width * (density[q, k] / totals[k]) * (others[k] * product)
            product *= below[k]
