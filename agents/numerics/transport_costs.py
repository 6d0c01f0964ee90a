"""What it costs to explain rewards by means that are as large for another arm as for the best.

The *transport cost* from arm b to arm k, with N_b and N_k rewards of the means p >= q, is

    N_b d(p, m) + N_k d(q, m),    m = (N_b p + N_k q) / (N_b + N_k),

the logarithm of the generalised likelihood ratio of "b is better" against "k is at least as good".
d is the divergence of Bernoulli distributions if ``noise_std`` is 0, and else the one of Gaussian
distributions, (p - q)² / (2 noise_std²).
"""

import math

from banditgym.compiled import inlined
from banditgym.elementary import log, log1p


@inlined
def divergence(p, q, noise_std):
    """d(p, q)."""
    if noise_std > 0.0:
        return (p - q) * (p - q) / (2.0 * noise_std * noise_std)
    # The terms of first order cancel in full: of near means, log(p / q) would leave rounding.
    divergence = p * log1p((q - p) / p) if p > 0.0 else 0.0
    return -(divergence + ((1.0 - p) * log1p((p - q) / (1.0 - p)) if p < 1.0 else 0.0))


@inlined
def best_mean(pulls, sums, i):
    """The arm with the largest mean reward of replicate i, the first one; -1 if an arm has none."""
    best = 0
    for k in range(pulls.shape[1]):
        if pulls[i, k] == 0:
            return -1
        if sums[i, k] / pulls[i, k] > sums[i, best] / pulls[i, best]:
            best = k
    return best


@inlined
def cheapest(pulls, sums, i, best, noise_std):
    """The arm to which the transport cost from ``best`` is least, and the cost.

    The cost is 0 to arms that look as good; without another arm, the arm is ``best`` and the cost
    infinite.
    """
    n, p = pulls[i, best], sums[i, best] / pulls[i, best]
    arm, least = best, math.inf
    for k in range(pulls.shape[1]):
        m, q = pulls[i, k], sums[i, k] / pulls[i, k]
        if k == best:
            continue
        middle, cost = (sums[i, best] + sums[i, k]) / (n + m), 0.0
        if p > q:
            cost = n * divergence(p, middle, noise_std) + m * divergence(q, middle, noise_std)
        if cost < least:
            arm, least = k, cost
    return arm, least


@inlined
def is_clear(pulls, sums, i, delta, noise_std):
    """Whether every transport cost is above log((1 + log t) / delta), with t rewards."""
    best, t = best_mean(pulls, sums, i), 0
    if best < 0:
        return False
    for k in range(pulls.shape[1]):
        t += pulls[i, k]
    return cheapest(pulls, sums, i, best, noise_std)[1] > log((1.0 + log(float(t))) / delta)
