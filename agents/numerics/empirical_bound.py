"""The upper confidence bound of a mean by empirical likelihood, for samples in [0, 1].

For the empirical distribution of N samples x, the infimum of KL divergences to distributions on
[0, 1] of a mean above q is, with the average E over the samples,

    K_inf(q) = max over lambda in [0, 1] of E log(1 - lambda (x - q) / (1 - q)).

The distribution of the largest mean within a divergence has masses proportional to 1 / (1 - u x)
at the samples, where u in [0, 1) is such that the divergence, E log(1 - u x) + log E 1 / (1 - u x),
is the given one. If even u = 1 gives less, then u = 1, and the rest of the mass is at 1.
"""

from banditgym.compiled import inlined
from banditgym.elementary import exp, log


@inlined
def empirical_bound(samples, count, level):
    """The largest q with K_inf(q) <= level, of the first ``count`` samples."""
    low, high = 0.0, 1.0
    if level <= 0.0:
        return _tilted_mean(samples, count, 0.0)
    if _largest(samples, count) < 1.0 and _divergence(samples, count, 1.0) <= level:
        return 1.0 - exp(_mean_log(samples, count, 1.0) - level)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _divergence(samples, count, middle) <= level:
            low = middle
        else:
            high = middle
    return _tilted_mean(samples, count, low)


@inlined
def _largest(samples, count):
    found = samples[0]
    for s in range(1, count):
        found = max(found, samples[s])
    return found


@inlined
def _divergence(samples, count, u):
    inverse = 0.0
    for s in range(count):
        inverse += 1.0 / (1.0 - u * samples[s])
    return _mean_log(samples, count, u) + log(inverse / count)


@inlined
def _mean_log(samples, count, u):
    total = 0.0
    for s in range(count):
        total += log(1.0 - u * samples[s])
    return total / count


@inlined
def _tilted_mean(samples, count, u):
    above, below = 0.0, 0.0
    for s in range(count):
        mass = 1.0 / (1.0 - u * samples[s])
        above += mass * samples[s]
        below += mass
    return above / below
