"""The generalised likelihood ratio of a change in the mean of a sequence, from sums of its splits.

A split at s divides N values with the mean m into the first s, with the mean m1, and the others,
with the mean m2. Its ratio is s d(m1, m) + (N - s) d(m2, m), where d is the divergence of Bernoulli
distributions, or (p - q)² / (2 R²) for values with sub-Gaussian noise.
"""

from banditgym.compiled import inlined
from banditgym.elementary import log


@inlined
def keep_split(kept, gap, i, arm, s, total):
    """Keep the sum of the first s values; if there is no room, every second split stays.

    ``kept`` are the sums at every ``gap[i, arm]``-th s, from 1.
    """
    if (s - 1) // gap[i, arm] == kept.shape[0]:
        for j in range(kept.shape[0] // 2):
            kept[j] = kept[2 * j]
        gap[i, arm] *= 2
    kept[(s - 1) // gap[i, arm]] = total


@inlined
def has_changed(kept, gap, count, total, threshold, noise_std):
    """Whether the ratio of some split of ``count`` values is above the threshold.

    ``noise_std`` is R; 0 for values in [0, 1], and the divergence of Bernoulli distributions.
    """
    # Since s m1 + (N - s) m2 = N m, the sum of divergences is that of a convex function.
    bar = threshold + count * _convex(total / count, noise_std)
    for s in range(1, count, gap):
        first = kept[(s - 1) // gap]
        ratio = s * _convex(first / s, noise_std)
        ratio += (count - s) * _convex((total - first) / (count - s), noise_std)
        if ratio > bar:
            return True
    return False


@inlined
def _convex(mean, noise_std):
    """p log p + (1 - p) log(1 - p), or p² / (2 R²)."""
    if noise_std > 0.0:
        return mean * mean / (2.0 * noise_std * noise_std)
    return mean * log(mean) + (1.0 - mean) * log(1.0 - mean) if 0.0 < mean < 1.0 else 0.0
