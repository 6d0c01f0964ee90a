r"""Random draws of inducing points among the points pulled, in proportion to their variance.

Every pull is drawn independently with probability :math:`p = \min(1, \bar q\,\tilde\sigma^2(x))`,
and drawn anew every time. So an arm pulled n times is among the inducing points with probability
:math:`1 - (1 - p)^n`. The very first pull is always drawn. Draw j of a replicate that has made t
pulls is element j of the uniforms of round t.
"""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import expm1, log1p
from banditgym.streams import AGENT, Stream, uniform_at

_PURPOSE = 5  # of the agent's streams


def inclusion_keys(seeds) -> np.ndarray:
    """The keys (n, 2) of the uniforms that draw inducing points."""
    return Stream(seeds, AGENT, _PURPOSE, 0).keys


@inlined
def _drawn(key, t, index, variance, qbar, count):
    p = min(1.0, qbar * variance)
    if t == 1 or p == 1.0:
        return True
    return uniform_at(key[0], key[1], t, index) < -expm1(count * log1p(-p))


@compiled
def record(seen, distinct, counts, totals, pulls, arms, reward, observed):
    """Count the pulls of arms (n,) and add their ``reward`` (n,), where observed (n,).

    ``seen[i, :distinct[i]]`` are the arms pulled so far, in the order of their first pulls.
    """
    for i in range(len(arms)):
        if observed[i]:
            if counts[i, arms[i]] == 0:
                seen[i, distinct[i]] = arms[i]
                distinct[i] += 1
            counts[i, arms[i]] += 1
            totals[i, arms[i]] += reward[i]
            pulls[i] += 1


@compiled
def draw_arms(keys, pulls, qbar, variance, counts, seen, distinct, inducing, size, settled):
    """Draw inducing points among the arms seen, where ``settled`` (n,); arm a is draw a."""
    for i in range(len(pulls)):
        if not settled[i]:
            continue
        size[i] = 0
        for j in range(distinct[i]):
            a = seen[i, j]
            if _drawn(keys[i], pulls[i], a, variance[i, a], qbar, counts[i, a]):
                inducing[i, size[i]] = a
                size[i] += 1


@compiled
def draw_pulls(keys, pulls, qbar, variance, inducing, size, settled):
    """Draw inducing points among all pulls, where ``settled`` (n,); pull s is draw s."""
    for i in range(len(pulls)):
        if not settled[i]:
            continue
        size[i] = 0
        for s in range(pulls[i]):
            if _drawn(keys[i], pulls[i], s, variance[i, s], qbar, 1):
                inducing[i, size[i]] = s
                size[i] += 1


@compiled
def sum_over_pulls(counts, variance, seen, distinct, out):
    """Write the sum over all pulls of the variance (n, K) of their arms to ``out`` (n,)."""
    for i in range(len(out)):
        out[i] = 0.0
        for j in range(distinct[i]):
            out[i] += counts[i, seen[i, j]] * variance[i, seen[i, j]]


def widened(array: np.ndarray, most: int) -> np.ndarray:
    """A copy of an array (n, capacity, ..) with room for twice ``most``.

    All axes but the first are capacities that grow together; the new room holds zeros.
    """
    shape = array.shape
    grown = np.zeros((shape[0], *(2 * most for _ in shape[1:])), array.dtype)
    grown[tuple(slice(size) for size in shape)] = array
    return grown
