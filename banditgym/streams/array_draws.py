"""Arrays of draws: of a round, of many replicates, of many rounds."""

import numpy as np

from banditgym.compiled import borrowing, compiled, inlined
from banditgym.streams.single_draws import box_muller, normal_pair, uniform_pair

# Blocks computed together: eight float64 fill a 512-bit register, and LLVM splits it where it must.
REGISTER = 8
_AT_ONCE = 128  # rounds, whose normals of eight keys take an eighth of the first cache


@compiled
def fill_uniform(k0, k1, t, out):
    """Fill ``out``, C-contiguous of shape (m,), with elements 0 .. m - 1 of :func:`uniform_at`."""
    # Whole groups first, then the last eight blocks: some are computed twice, to the same bits,
    # which is cheaper than a scalar remainder. Unsigned indices are not wrapped around, so LLVM
    # knows where the loop writes.
    blocks = out.size // 2
    done = 0
    if blocks >= REGISTER:
        done = 2 * blocks
        first, last = 0, blocks - blocks % REGISTER
        while True:
            for block in range(first, last):
                even, odd = uniform_pair(k0, k1, t, block)
                out[np.uint64(2 * block)] = even
                out[np.uint64(2 * block + 1)] = odd
            if last == blocks:
                break
            first, last = blocks - REGISTER, blocks
    for index in range(done, out.size):
        even, odd = uniform_pair(k0, k1, t, index >> 1)
        out[np.uint64(index)] = odd if index & 1 else even


@compiled
def fill_normal(k0, k1, t, out):
    """Fill ``out``, C-contiguous of shape (m,), with elements 0 .. m - 1 of :func:`normal_at`."""
    # As in fill_uniform; two loops of half the length hide latencies better than one.
    blocks = out.size // 2
    done = 0
    if blocks >= REGISTER:
        done = 2 * blocks
        first, last = 0, blocks - blocks % REGISTER
        while True:
            for block in range(first, last):
                u, v = uniform_pair(k0, k1, t, block)
                out[np.uint64(2 * block)] = u
                out[np.uint64(2 * block + 1)] = v
            for block in range(first, last):
                even, odd = box_muller(out[np.uint64(2 * block)], out[np.uint64(2 * block + 1)])
                out[np.uint64(2 * block)] = even
                out[np.uint64(2 * block + 1)] = odd
            if last == blocks:
                break
            first, last = blocks - REGISTER, blocks
    for index in range(done, out.size):
        even, odd = normal_pair(k0, k1, t, index >> 1)
        out[np.uint64(index)] = odd if index & 1 else even


@compiled
def each_uniform(keys, t, out):
    """Fill ``out`` (n,) with element 0 of the uniforms of round ``t`` under ``keys`` (n, 2)."""
    words = keys.ravel()  # LLVM vectorises only if it knows that a key is two words
    n = out.size
    first, last = 0, (n - n % REGISTER if n > REGISTER else n)
    while True:
        for i in range(first, last):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            out[np.uint64(i)], _ = uniform_pair(k0, k1, t, 0)
        if last == n:
            break
        first, last = n - REGISTER, n  # as in fill_uniform


@compiled
def each_normal(keys, t, out):
    """Fill ``out`` (n,) with element 0 of the normals of round ``t`` under ``keys`` (n, 2)."""
    words, angle = keys.ravel(), np.empty(out.size)
    n = out.size
    first, last = 0, (n - n % REGISTER if n > REGISTER else n)
    while True:
        for i in range(first, last):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            out[np.uint64(i)], angle[np.uint64(i)] = uniform_pair(k0, k1, t, 0)
        for i in range(first, last):
            out[np.uint64(i)], _ = box_muller(out[np.uint64(i)], angle[np.uint64(i)])
        if last == n:
            break
        first, last = n - REGISTER, n  # as in fill_uniform


@compiled
def each_pair(keys, t, first, second):
    """Fill ``first`` and ``second`` (n,) with elements 0 and 1 of the uniforms of round ``t``."""
    words = keys.ravel()
    n = first.size
    start, stop = 0, (n - n % REGISTER if n > REGISTER else n)
    while True:
        for i in range(start, stop):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            first[np.uint64(i)], second[np.uint64(i)] = uniform_pair(k0, k1, t, 0)
        if stop == n:
            break
        start, stop = n - REGISTER, n  # as in fill_uniform


@compiled
def fill_uniforms(keys, rounds, out):
    """Fill row i of ``out`` (n, m) with the first uniforms of round ``rounds[i]``."""
    for i in range(out.shape[0]):
        fill_uniform(keys[i, 0], keys[i, 1], rounds[i], out[i])


@compiled
def fill_normals_by_row(keys, rounds, out):
    """As :func:`fill_normals`: slower for many short rows, and quicker to compile."""
    for i in range(out.shape[0]):
        fill_normal(keys[i, 0], keys[i, 1], rounds[i], out[i])


@compiled
def fill_normals(keys, rounds, out):
    """Fill row i of ``out`` (n, m) with the first normals of round ``rounds[i]`` of ``keys[i]``."""
    _fill_rows(keys.ravel(), rounds, np.empty((2, out.shape[0])), out)


@borrowing
def _fill_rows(words, rounds, pairs, out):
    """:func:`fill_normals`; ``pairs`` (2, n) are overwritten."""
    n, m = out.shape
    if n < REGISTER or m > 8 * REGISTER:
        for i in range(n):
            fill_normal(words[2 * i], words[2 * i + 1], rounds[i], out[i])
        return
    # Short rows fill no vectors, and so each block is computed for all rows at once.
    even, odd = pairs[0], pairs[1]
    for block in range(-(-m // 2)):
        first, last = 0, n - n % REGISTER
        while True:
            for i in range(first, last):
                k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
                u, v = uniform_pair(k0, k1, rounds[np.uint64(i)], block)
                even[np.uint64(i)] = u
                odd[np.uint64(i)] = v
            for i in range(first, last):
                u, v = box_muller(even[np.uint64(i)], odd[np.uint64(i)])
                even[np.uint64(i)] = u
                odd[np.uint64(i)] = v
            if last == n:
                break
            first, last = n - REGISTER, n  # as in fill_uniform
        for i in range(n):
            out[i, 2 * block] = even[i]
            if 2 * block + 1 < m:
                out[i, 2 * block + 1] = odd[i]


@compiled
def each_normal_of_rounds(keys, t, scale, out):
    """Fill ``out`` (m, n) with ``scale`` times what ``each_normal`` draws in rounds t, t + 1, .."""
    rounds, n = out.shape
    if n >= REGISTER and (rounds < 2 * REGISTER or n > 20 * REGISTER):
        for s in range(rounds):
            each_normal(keys, t + s, out[s])
            for i in range(n):
                out[s, i] *= scale
        return
    if n >= REGISTER:
        _turn_columns(keys, t, scale, out)
        return
    column, angle = np.empty(rounds), np.empty(rounds)
    for i in range(n):
        _draw_rounds(keys, i, t, column, angle, rounds)
        for s in range(rounds):
            out[s, i] = scale * column[s]


@inlined
def _turn_columns(keys, t, scale, out):
    # A vector along the rounds has one key, and the rounds can be filled up to whole vectors, where
    # each_normal needs a remainder of the replicates. Eight columns at a time are turned into rows,
    # so that whole lines of the cache are written. The speed row of PEGE shows the gain.
    rounds, n = out.shape
    columns, angle = np.empty((REGISTER, _AT_ONCE)), np.empty(_AT_ONCE)
    for start in range(0, rounds, _AT_ONCE):
        count = min(_AT_ONCE, rounds - start)
        # Rounds that no one needs cost less than a remainder.
        whole = -(-count // REGISTER) * REGISTER
        for first in range(0, n, REGISTER):
            some = min(REGISTER, n - first)
            for i in range(some):
                _draw_rounds(keys, first + i, t + start, columns[i], angle, whole)
            if some == REGISTER:  # a number that LLVM knows
                for s in range(count):
                    for i in range(REGISTER):
                        out[start + s, first + i] = scale * columns[i, s]
            else:
                for s in range(count):
                    for i in range(some):
                        out[start + s, first + i] = scale * columns[i, s]


@inlined
def _draw_rounds(keys, i, t, column, angle, rounds):
    """Write the first normals of rounds t, t + 1, .. of one key to ``column``."""
    k0, k1 = keys[i, 0], keys[i, 1]
    for s in range(rounds):
        column[np.uint64(s)], angle[np.uint64(s)] = uniform_pair(k0, k1, t + s, 0)
    for s in range(rounds):
        column[np.uint64(s)], _ = box_muller(column[np.uint64(s)], angle[np.uint64(s)])


@borrowing
def fill_normals_of_rounds(words, rounds, pairs, out):
    """Fill ``out`` (m, n, d) with what ``fill_normals`` draws in m rounds from ``rounds`` (n,) on.

    ``words`` (2 n,) are the keys, ``rounds`` are raised by m, and ``pairs`` (2, max(m, n)) are
    overwritten. If there are few replicates, it draws along the rounds, as
    :func:`each_normal_of_rounds` does.
    """
    m, n, dim = out.shape
    if n >= REGISTER:
        for s in range(m):
            _fill_rows(words, rounds, pairs, out[s])
            for i in range(n):
                rounds[i] += 1
        return
    even, odd = pairs[0], pairs[1]
    for i in range(n):
        k0, k1, first = words[2 * i], words[2 * i + 1], rounds[i]
        rounds[i] += m
        for block in range(-(-dim // 2)):
            for s in range(m):
                u, v = uniform_pair(k0, k1, first + s, block)
                even[np.uint64(s)] = u
                odd[np.uint64(s)] = v
            for s in range(m):
                u, v = box_muller(even[np.uint64(s)], odd[np.uint64(s)])
                even[np.uint64(s)] = u
                odd[np.uint64(s)] = v
            for s in range(m):
                out[s, i, 2 * block] = even[s]
                if 2 * block + 1 < dim:
                    out[s, i, 2 * block + 1] = odd[s]
