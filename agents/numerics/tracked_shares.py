"""The shares of pulls that find the best arm fastest (Garivier & Kaufmann 2016, Theorem 5).

With the largest mean p of arm b, let x be the pulls of arm k per pull of b, m = (p + x q) / (1 + x)
for its mean q, and

    g(x) = d(p, m) + x d(q, m),

which grows from 0 to d(p, q), with the derivative d(q, m). The fastest shares are those with equal
values y of g for all arms and

    F(y) = sum over k of d(p, m_k) / d(q_k, m_k) = 1.
"""

import math

from agents.numerics.transport_costs import divergence
from banditgym.compiled import inlined

# Means this near to 0 and 1 count as this far from them: else divergences would be infinite.
_LEAST = 1e-9


@inlined
def _ratio(p, q, y, noise_std):
    """The x with g(x) = y; its term of F, and that term's derivative by y.

    Newton's method from 0. Since g is concave, it never overshoots.
    """
    x, own, other = 0.0, 0.0, divergence(q, p, noise_std)
    for _ in range(100):
        step = (y - own - x * other) / other
        if not step > 1e-12 * x:
            break
        x += step
        middle = (p + x * q) / (1.0 + x)
        own, other = divergence(p, middle, noise_std), divergence(q, middle, noise_std)
    middle = (p + x * q) / (1.0 + x)
    # d(q, m) grows by m at this rate, and d(p, m) by -x times as much as d(q, m) does.
    spread = noise_std * noise_std if noise_std > 0.0 else middle * (1.0 - middle)
    slope = (middle - q) / spread * (q - p) / ((1.0 + x) * (1.0 + x))
    return x, own / other, -slope * (x + own / other) / (other * other)


@inlined
def fastest_shares(mean, best, noise_std, shares):
    """Write the shares (K,) of the arms with these means (K,), of which ``best`` is the only best.

    ``noise_std`` is 0 for Bernoulli rewards.
    """
    low, high = _LEAST, 1.0 - _LEAST
    if noise_std > 0.0:
        low, high = -math.inf, math.inf
    p, most = min(max(mean[best], low), high), math.inf
    for k in range(mean.shape[0]):
        if k != best:
            most = min(most, divergence(p, min(max(mean[k], low), high), noise_std))
    below, above, y = 0.0, most, 0.5 * most
    # F is convex: Newton's method from above descends to the root; else the interval is halved.
    for _ in range(100):
        total, slope = -1.0, 0.0
        for k in range(mean.shape[0]):
            if k != best:
                q = min(max(mean[k], low), high)
                shares[k], term, rise = _ratio(p, q, y, noise_std)
                total, slope = total + term, slope + rise
        if total > 0.0:
            above = y
        else:
            below = y
        following = y - total / slope
        if not below < following < above:
            following = 0.5 * (below + above)
        if abs(following - y) <= 1e-11 * most:
            break
        y = following
    shares[best], every = 1.0, 1.0
    for k in range(mean.shape[0]):
        every += shares[k] if k != best else 0.0
    for k in range(mean.shape[0]):
        shares[k] /= every
