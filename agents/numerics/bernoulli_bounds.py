"""Upper confidence bounds on Bernoulli means, by the Kullback--Leibler divergence."""

import math

from banditgym.compiled import inlined
from banditgym.elementary import exp, log, log_of_normal


@inlined
def bernoulli_bounds(mean, share, bound, entropy, moves):
    """Write for each arm the largest q in [p, 1] with divergence d(p, q) <= its share, to rounding.

    ``mean`` (p), ``share`` and ``bound`` (q) are (K,); ``entropy`` and ``moves`` are
    scratch memory.
    """
    # d is convex and increases in q: Newton's method from a point above the root descends to it and
    # never overshoots. Pinsker's inequality gives such a point, and so does dropping
    # -p log q >= 0 from d; we start from the lower of the two, which is near the root.
    for k in range(mean.shape[0]):
        p, level = mean[k], share[k]
        entropy[k] = p * log(p) if p > 0.0 else 0.0
        if p >= 1.0:
            bound[k], moves[k] = 1.0, False
            continue
        dropped = 1.0 - (1.0 - p) * exp((entropy[k] - level) / (1.0 - p))
        q = min(p + math.sqrt(level / 2.0), dropped)
        moves[k] = p < q < 1.0
        bound[k] = min(max(q, p), 1.0)
    # All arms take each step together, so that the compiler can vectorise over arms. An arm that
    # has converged computes the same value again and stays there.
    for _ in range(50):
        moved = 0
        for k in range(mean.shape[0]):
            p, q = mean[k], bound[k]
            # Both arguments are normal numbers where q moves: 1 / pulls <= p or p = 0.
            excess = entropy[k] + (1.0 - p) * log_of_normal((1.0 - p) / (1.0 - q)) - share[k]
            excess -= p * log_of_normal(q) if p > 0.0 else 0.0
            following = q - excess * q * (1.0 - q) / (q - p)
            lower = moves[k] and p < following < q  # else it has converged, to rounding
            bound[k] = following if lower else q
            moved += 1 if lower else 0
        if moved == 0:
            break
