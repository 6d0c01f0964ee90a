r"""The Nyström posterior at fixed arms: pulls are counted, inducing points drawn, arms embedded.

Every pull is drawn independently with probability :math:`p = \min(1, \bar q\,\tilde\sigma^2(x))`,
and drawn anew every time. So an arm pulled n times is among the inducing points with probability
:math:`1 - (1 - p)^n`. The very first pull is always drawn. Draw j of a replicate that has made t
pulls is element j of the uniforms of round t.
"""

from typing import NamedTuple

import numpy as np

from agents.numerics.kernel.nystrom_embedding import Embedding, embed, score
from agents.numerics.ridge.weighted_rows import sum_rows
from banditgym.compiled import compiled, inlined
from banditgym.elementary import expm1, log1p
from banditgym.streams import AGENT, Stream, uniform_at

_PURPOSE = 5  # of the agent's streams


def inclusion_keys(seeds) -> np.ndarray:
    """The keys (n, 2) of the uniforms that draw inducing points."""
    return Stream(seeds, AGENT, _PURPOSE, 0).keys


class NystromPulls(NamedTuple):
    """The posterior of n replicates at K fixed arms: all of its state that kernels use."""

    qbar: float
    ridge: float
    keys: np.ndarray  # (n, 2): of the uniforms that draw inducing points
    prior: np.ndarray  # (K,): k(x, x)
    rows: np.ndarray  # (rows, K): the kernel, for the arms that any replicate has pulled
    row_of: np.ndarray  # (K,): the number of each arm's row, or -1
    mean: np.ndarray  # (n, K)
    variance: np.ndarray  # (n, K)
    start_variance: np.ndarray  # (n, K): at the start of the batch
    counts: np.ndarray  # (n, K): how often each arm was pulled
    totals: np.ndarray  # (n, K): the sums of their rewards
    pulls: np.ndarray  # (n,): pulls so far
    seen: np.ndarray  # (n, capacity): the arms pulled, in the order of their first pulls
    distinct: np.ndarray  # (n,): how many they are
    inducing: np.ndarray  # (n, capacity): the arms in S
    # (n,): how many they are
    count: np.ndarray  # pyright: ignore[reportIncompatibleMethodOverride]
    rank: np.ndarray  # (n,): r
    whitening: np.ndarray  # (n, room, room): W
    solver: np.ndarray  # (n, room, room): the inverse of C
    within: np.ndarray  # (n, room, room): P, for the pulls of the batch
    coefficients: np.ndarray  # (n, room)


@compiled
def absorb_arms(arrays, arms, reward, observed, ended):
    """Count the rewards (n,) of arms (n,) where ``observed`` (n,); draw points where ``ended``.

    ``arrays`` are those of a ``NystromPulls``. Returns the largest number of inducing points.
    """
    state = NystromPulls(*arrays)
    counts, totals, seen, distinct = state.counts, state.totals, state.seen, state.distinct
    for i in range(len(arms)):
        if observed[i]:
            if counts[i, arms[i]] == 0:
                seen[i, distinct[i]] = arms[i]
                distinct[i] += 1
            counts[i, arms[i]] += 1
            totals[i, arms[i]] += reward[i]
            state.pulls[i] += 1
    draw_arms(state, ended)
    return state.count.max()


@inlined
def drawn(key, t, index, variance, qbar, count):
    """Whether draw ``index`` after t pulls includes a point of ``count`` pulls."""
    p = min(1.0, qbar * variance)
    if t == 1 or p == 1.0:
        return True
    return uniform_at(key[0], key[1], t, index) < -expm1(count * log1p(-p))


@inlined
def draw_arms(state, ended):
    """Draw inducing points among the arms seen, where ``ended`` (n,); arm a is draw a."""
    variance, counts, inducing = state.start_variance, state.counts, state.inducing
    seen, qbar = state.seen, state.qbar
    for i in range(len(ended)):
        if not ended[i]:
            continue
        m, t, key = 0, state.pulls[i], state.keys[i]
        for j in range(state.distinct[i]):
            a = seen[i, j]
            if drawn(key, t, a, variance[i, a], qbar, counts[i, a]):
                inducing[i, m] = a
                m += 1
        state.count[i] = m


@compiled
def draw_pulls(keys, pulls, qbar, variance, inducing, size, ended):
    """Draw inducing points among all pulls, where ``ended`` (n,); pull s is draw s."""
    for i in range(len(pulls)):
        if not ended[i]:
            continue
        size[i] = 0
        for s in range(pulls[i]):
            if drawn(keys[i], pulls[i], s, variance[i, s], qbar, 1):
                inducing[i, size[i]] = s
                size[i] += 1


@compiled
def rebuild(arrays, ended):
    """Embed the arms anew where ``ended`` (n,), and write their means and variances (n, K).

    ``arrays`` are those of a ``NystromPulls``; P becomes the identity.
    """
    state = NystromPulls(*arrays)
    rows, row_of, ridge, within = state.rows, state.row_of, state.ridge, state.within
    counts, totals, mean, variance = state.counts, state.totals, state.mean, state.variance
    start_variance, (n, n_arms) = state.start_variance, mean.shape
    for i in range(n):
        if not ended[i]:
            continue
        m, u, inducing, seen = state.count[i], state.distinct[i], state.inducing[i], state.seen[i]
        inner, across, which = np.empty((m, m)), np.empty((m, u)), np.empty(m, np.int64)
        weights, sums = np.empty(u), np.empty(u)
        for a in range(m):
            which[a] = row_of[inducing[a]]
            for b in range(m):
                inner[a, b] = rows[which[a], inducing[b]]
            for b in range(u):
                across[a, b] = rows[which[a], seen[b]]
        for b in range(u):
            weights[b] = counts[i, seen[b]]
            sums[b] = totals[i, seen[b]]
        whitening, solver, coefficients = state.whitening[i], state.solver[i], state.coefficients[i]
        r, triangular = embed(inner, across, weights, sums, ridge, whitening, solver, coefficients)
        state.rank[i] = r
        for j in range(r):
            for q in range(r):
                within[i, j, q] = 0.0
            within[i, j, j] = 1.0
        embedding = Embedding(whitening, solver, coefficients, r, triangular)
        score(rows, which, state.prior, ridge, embedding, mean[i], variance[i])
        for k in range(n_arms):
            start_variance[i, k] = variance[i, k]


@compiled
def shrink(arrays, arms, pulled):
    r"""Add another pull of arms (n,) to V where ``pulled`` (n,), in the current embedding.

    With P, ``within`` (n, capacity, capacity), the inverse of :math:`I + \sum_s y(x_s) y(x_s)^\top`
    over the pulls since the embedding was made,

    .. math:: \tilde\sigma^2(x) \leftarrow \tilde\sigma^2(x)
        - \frac{(y(x)^\top P y(x_s))^2}{1 + y(x_s)^\top P y(x_s)}.
    """
    state = NystromPulls(*arrays)
    rows, row_of, inducing, variance = state.rows, state.row_of, state.inducing, state.variance
    whitening, solver, within = state.whitening, state.solver, state.within
    n, n_arms = variance.shape
    place = np.empty(solver.shape[1], np.int64)
    z, y = np.empty(solver.shape[1]), np.empty(solver.shape[1])
    turned, back = np.empty(solver.shape[1]), np.empty(solver.shape[1])
    weights, total = np.empty(solver.shape[1]), np.empty(n_arms)
    for i in range(n):
        m, r = state.count[i], state.rank[i]
        if not pulled[i] or r == 0:
            continue
        for a in range(m):
            place[a] = row_of[inducing[i, a]]
        for j in range(r):
            z[j] = 0.0
            back[j] = 0.0
            for a in range(m):
                z[j] += whitening[i, j, a] * rows[place[a], arms[i]]
        for j in range(r):
            y[j] = 0.0
            for q in range(j + 1):
                y[j] += solver[i, j, q] * z[q]
        own = 0.0
        for j in range(r):
            turned[j] = 0.0
            for q in range(r):
                turned[j] += within[i, j, q] * y[q]
            own += turned[j] * y[j]
            for q in range(j + 1):
                back[q] += solver[i, j, q] * turned[j]
        for a in range(m):
            weights[a] = 0.0
        for j in range(r):
            for a in range(m):
                weights[a] += whitening[i, j, a] * back[j]
        sum_rows(rows, place, weights, m, total)
        for k in range(n_arms):
            variance[i, k] = max(variance[i, k] - total[k] * total[k] / (1.0 + own), 0.0)
        for j in range(r):
            for q in range(r):
                within[i, j, q] -= turned[j] * turned[q] / (1.0 + own)


@compiled
def sum_over_pulls(counts, variance, seen, distinct, out):
    """Write the sum over all pulls of the variance (n, K) of their arms to ``out`` (n,)."""
    for i in range(len(out)):
        out[i] = 0.0
        for j in range(distinct[i]):
            out[i] += counts[i, seen[i, j]] * variance[i, seen[i, j]]
