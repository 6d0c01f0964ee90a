"""A growing number of samples in chunks of memory: each a row, its outcome and further numbers.

Chunk k holds the next ``FIRST`` 2^k samples of every replicate, so no sample is ever moved. A
chunk is (n, samples, width); chunks that are not needed yet have no samples. A sample is its row x
(d,), then the outcome, then further numbers that a kernel needs. Where rows repeat, all rows come
from a table (m, r, d), with m = n, or m = 1 if all replicates share it, and a sample has the number
of its row in place of the row. Without a table r = 0.
"""

import math
from typing import NamedTuple

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.linalg.product import row_product
from banditgym.streams import uniform_at

CHUNKS = 20
FIRST = 64  # samples of the first chunk; all chunks together hold 67 million


class KeptSamples(NamedTuple):
    """The samples of n replicates, as kernels take them.

    Attributes
    ----------
    chunks : tuple of ndarray of shape (n, samples, width)
    table : ndarray of shape (m, r, d)
    count : ndarray of shape (n,)
        Samples kept.
    longest : ndarray of shape (n,)
        L, the largest squared length of a row: in the table, or else among the samples kept.
    keys : ndarray of shape (n, 2)
        Keys of the stream that draws samples.
    """

    chunks: tuple[np.ndarray, ...]
    table: np.ndarray
    count: np.ndarray  # pyright: ignore[reportIncompatibleMethodOverride]
    longest: np.ndarray
    keys: np.ndarray


def initial_chunks(n: int, width: int) -> list[np.ndarray]:
    """The chunks before any sample, with room for the first ones."""
    return [np.zeros((n, FIRST if k == 0 else 0, width)) for k in range(CHUNKS)]


def make_room(chunks: list[np.ndarray], most: int) -> None:
    """Add the chunks that are missing for more than ``most`` samples of a replicate.

    They are zeros, for which the operating system allocates memory when they are written to.
    """
    held = 0
    for k, chunk in enumerate(chunks):
        if held > most:
            return
        if chunk.shape[1] == 0:
            chunks[k] = np.zeros((len(chunk), FIRST << k, chunk.shape[2]))
        held += FIRST << k
    if held <= most:
        raise ValueError(f"samples must be fewer than {held} a replicate, got {most}")


@inlined
def dot(a, b):
    """The inner product of two vectors, in eight independent sums, which is faster than one."""
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    j, dim = 0, a.shape[0]
    while j + 7 < dim:
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        s4 += a[j + 4] * b[j + 4]
        s5 += a[j + 5] * b[j + 5]
        s6 += a[j + 6] * b[j + 6]
        s7 += a[j + 7] * b[j + 7]
        j += 8
    while j < dim:
        s0 += a[j] * b[j]
        j += 1
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@compiled
def predict_linear(theta, features, mean):
    r"""Write :math:`x^\top\theta` (n, K) of the features (n, d, K).

    Returns the first replicate where it is not finite, as where a feature is not, or -1.
    """
    n, dim, n_arms = features.shape
    for i in range(n):
        if n_arms == 1:
            mean[i, 0] = dot(theta[i], features.reshape(n, dim)[i])
        else:
            row_product(theta[i], features[i], mean[i])
        bad = 0
        for k in range(n_arms):
            bad += not math.isfinite(mean[i, k])
        if bad > 0:
            return i
    return -1


@inlined
def predict_within(theta, rows, bound, mean, predictions):
    """Write the means of rows (n, d, 1), clipped to -bound .. bound, as ``predictions`` (n,).

    Fills ``mean`` (n, 1); returns what ``predict_linear`` does.
    """
    bad = predict_linear(theta, rows, mean)
    if bad >= 0:
        return bad
    for i in range(mean.shape[0]):
        predictions[i] = min(max(mean[i, 0], -bound), bound)
    return -1


@compiled
def first_too_long(table, features, arms, observed, squares):
    """Write ‖x‖² of the rows (n,) to keep; 0 for rows of a table, whose lengths are known.

    Returns the first observed replicate where it is not finite, or -1.
    """
    n, dim, n_arms = features.shape
    squares[:] = 0.0
    if table.shape[1] > 0:
        return -1
    for i in range(n):
        if not observed[i]:
            continue
        if n_arms == 1:
            x = features.reshape(n, dim)[i]
            squares[i] = dot(x, x)
        else:
            even, odd = 0.0, 0.0
            for j in range(0, dim - 1, 2):
                even += features[i, j, arms[i]] * features[i, j, arms[i]]
                odd += features[i, j + 1, arms[i]] * features[i, j + 1, arms[i]]
            if dim % 2 == 1:
                even += features[i, dim - 1, arms[i]] * features[i, dim - 1, arms[i]]
            squares[i] = even + odd
        if not math.isfinite(squares[i]):
            return i
    return -1


@inlined
def sample_at(chunks, i, s):
    """Sample s, from 0, of replicate i."""
    k, size = 0, FIRST
    while s >= size:
        s -= size
        size += size
        k += 1
    return chunks[k][i, s]


# Rows are read in place. A name for the row, in a sample or in the table, would count references to
# it, with locks that prevent the prefetch of the next replicate's row.


@inlined
def along(sample, table, i, vector):
    """The product of the row of a sample of replicate i with a vector (d,)."""
    if table.shape[1] > 0:
        return dot(table[i if table.shape[0] > 1 else 0, np.int64(sample[0])], vector)
    return dot(sample[: vector.shape[0]], vector)


@inlined
def add_row(weight, sample, table, i, kept, out):
    """``out = kept * out + weight * row`` in place, (d,), for the row of a sample."""
    if table.shape[1] > 0:
        _add(weight, table[i if table.shape[0] > 1 else 0, np.int64(sample[0])], kept, out)
    else:
        _add(weight, sample[: out.shape[0]], kept, out)


@inlined
def _add(weight, row, kept, out):
    for j in range(out.shape[0]):
        out[j] = kept * out[j] + weight * row[j]


@inlined
def outcome_at(table):
    """The position of the outcome in a sample."""
    return 1 if table.shape[1] > 0 else table.shape[2]


@inlined
def keep(sample, table, features, arm, outcome, i):
    """Write the row of replicate i's arm, and its outcome, to ``sample``, the first free one.

    It does not take the chunks, because passing them on twice would count references to each.
    """
    if table.shape[1] > 0:
        sample[0] = arm
    else:
        for j in range(features.shape[1]):
            sample[j] = features[i, j, arm]
    sample[outcome_at(table)] = outcome


@inlined
def drawn(keys, count, i, index):
    """Draw ``index`` of round n of a sample among the n = ``count`` of replicate i, from 0."""
    # The product is below n: even n (1 - 2^-53) is not rounded up to n.
    return np.int64(uniform_at(keys[i, 0], keys[i, 1], count[i], index) * count[i])
