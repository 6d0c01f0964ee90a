r"""Random numbers as a pure function of (seed, domain, purpose, episode, round, index).

A draw is computed from its address. There is no state to save, synchronise or share, and the
numbers of replicate i do not depend on other draws. The key (two 32-bit words)
comes from ``numpy.random.SeedSequence(seed, spawn_key=(domain, purpose, episode))``, the counter of
Philox4x32-10 [1]_ holds the block's index in words 0 and 1 and the round in words 2 and 3. A block
is 128 bits: two uniforms of 53 bits, or the two normals of Box and Muller [2]_,

.. math:: \sqrt{-2 \log u_1} \cos(2 \pi u_2), \quad \sqrt{-2 \log u_1} \sin(2 \pi u_2),
    \qquad u_1 \in (0, 1],

so element i of a round comes from block i // 2, however many are drawn. Uniforms and normals with
the same key and round come from the same bits, so a purpose uses one kind of draw in a round.

The logarithm, sine and cosine are those of :mod:`~banditgym.elementary`: calls to a mathematical
library would prevent LLVM from vectorising, and their bits would depend on the processor.

References
----------
.. [1] J. Salmon, M. Moraes, R. Dror, D. Shaw. Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011.
.. [2] G. Box, M. Muller. A Note on the Generation of Random Normal Deviates. Annals of Mathematical
   Statistics 29, 1958.
.. [3] G. Marsaglia, W. W. Tsang. A Simple Method for Generating Gamma Variables. ACM Transactions
   on Mathematical Software 26, 2000.
"""

import math
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import log_of_normal, sine_cosine_of_turns

ENVIRONMENT, AGENT = 0, 1  # domains: equal integers never share numbers across them

# Blocks computed together: eight float64 fill a 512-bit register, and LLVM splits it where it must.
LANES = 8

_DERIVATION = b"banditgym derived seed 1"  # its version: another one gives other seeds

_MULTIPLY_0, _MULTIPLY_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_WORD = np.uint64(0xFFFFFFFF)
_32, _11 = np.uint64(32), np.uint64(11)


@inlined
def _block(c0, c1, c2, c3, k0, k1):
    # Words are in the low halves of 64-bit integers, so that a product keeps its high word. The
    # upper halves fill with garbage, which the masks before the products remove at no cost.
    for _ in range(10):
        product_0 = (c0 & _WORD) * _MULTIPLY_0
        product_1 = (c2 & _WORD) * _MULTIPLY_1
        c0, c1 = (product_1 >> _32) ^ c1 ^ k0, product_1
        c2, c3 = (product_0 >> _32) ^ c3 ^ k1, product_0
        k0 += _WEYL_0
        k1 += _WEYL_1
    return c0 & _WORD, c1 & _WORD, c2 & _WORD, c3 & _WORD


@compiled
def philox(c0, c1, c2, c3, k0, k1):
    """Philox4x32-10: four uint32 words from a counter of four words and a key of two."""
    w0, w1, w2, w3 = _block(
        np.uint64(c0), np.uint64(c1), np.uint64(c2), np.uint64(c3), np.uint64(k0), np.uint64(k1)
    )
    return np.uint32(w0), np.uint32(w1), np.uint32(w2), np.uint32(w3)


@inlined
def _bits(k0, k1, t, block):
    """Two integers of 53 bits from the block ``block`` of round ``t``."""
    c, r = np.uint64(block), np.uint64(t)
    w0, w1, w2, w3 = _block(c, c >> _32, r, r >> _32, np.uint64(k0), np.uint64(k1))
    return np.int64(((w0 << _32) | w1) >> _11), np.int64(((w2 << _32) | w3) >> _11)


@inlined
def uniform_pair(k0, k1, t, block):
    """Uniforms 2 ``block`` and 2 ``block`` + 1 of round ``t``."""
    m0, m1 = _bits(k0, k1, t, block)
    return np.float64(m0) * 2.0**-53, np.float64(m1) * 2.0**-53


@inlined
def _box_muller(u, v):
    """Two normals from two uniforms on [0, 1), multiples of 2^-53."""
    radius = np.sqrt(-2.0 * log_of_normal(u + 2.0**-53))  # the sum is exact, and never 0
    sine, cosine = sine_cosine_of_turns(v)
    return radius * cosine, radius * sine


@inlined
def normal_pair(k0, k1, t, block):
    """Normals 2 ``block`` and 2 ``block`` + 1 of round ``t``."""
    u, v = uniform_pair(k0, k1, t, block)
    return _box_muller(u, v)


@compiled
def uniform_at(k0, k1, t, index):
    """Element ``index`` of the uniforms on [0, 1) of round ``t``, a multiple of 2^-53."""
    even, odd = uniform_pair(k0, k1, t, index >> 1)
    return odd if index & 1 else even


@compiled
def normal_at(k0, k1, t, index):
    """Element ``index`` of the standard normals of round ``t``."""
    even, odd = normal_pair(k0, k1, t, index >> 1)
    return odd if index & 1 else even


@compiled
def fill_uniform(k0, k1, t, out):
    """Fill ``out``, C-contiguous of shape (m,), with elements 0 .. m - 1 of :func:`uniform_at`."""
    # Whole groups first, then the last eight blocks: some are computed twice, to the same bits,
    # which is cheaper than a scalar remainder. Unsigned indices are not wrapped around, so LLVM
    # knows where the loop writes.
    blocks = out.size // 2
    done = 0
    if blocks >= LANES:
        done = 2 * blocks
        first, last = 0, blocks - blocks % LANES
        while True:
            for block in range(first, last):
                even, odd = uniform_pair(k0, k1, t, block)
                out[np.uint64(2 * block)] = even
                out[np.uint64(2 * block + 1)] = odd
            if last == blocks:
                break
            first, last = blocks - LANES, blocks
    for index in range(done, out.size):
        even, odd = uniform_pair(k0, k1, t, index >> 1)
        out[np.uint64(index)] = odd if index & 1 else even


@compiled
def fill_normal(k0, k1, t, out):
    """Fill ``out``, C-contiguous of shape (m,), with elements 0 .. m - 1 of :func:`normal_at`."""
    # As in fill_uniform; two loops of half the length hide latencies better than one.
    blocks = out.size // 2
    done = 0
    if blocks >= LANES:
        done = 2 * blocks
        first, last = 0, blocks - blocks % LANES
        while True:
            for block in range(first, last):
                u, v = uniform_pair(k0, k1, t, block)
                out[np.uint64(2 * block)] = u
                out[np.uint64(2 * block + 1)] = v
            for block in range(first, last):
                even, odd = _box_muller(out[np.uint64(2 * block)], out[np.uint64(2 * block + 1)])
                out[np.uint64(2 * block)] = even
                out[np.uint64(2 * block + 1)] = odd
            if last == blocks:
                break
            first, last = blocks - LANES, blocks
    for index in range(done, out.size):
        even, odd = normal_pair(k0, k1, t, index >> 1)
        out[np.uint64(index)] = odd if index & 1 else even


@compiled
def each_uniform(keys, t, out):
    """Fill ``out`` (n,) with element 0 of the uniforms of round ``t`` under ``keys`` (n, 2)."""
    words = keys.ravel()  # LLVM vectorises only if it knows that a key is two words
    n = out.size
    first, last = 0, (n - n % LANES if n > LANES else n)
    while True:
        for i in range(first, last):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            out[np.uint64(i)], _ = uniform_pair(k0, k1, t, 0)
        if last == n:
            break
        first, last = n - LANES, n  # as in fill_uniform


@compiled
def each_normal(keys, t, out):
    """Fill ``out`` (n,) with element 0 of the normals of round ``t`` under ``keys`` (n, 2)."""
    words = keys.ravel()
    n = out.size
    first, last = 0, (n - n % LANES if n > LANES else n)
    while True:
        for i in range(first, last):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            out[np.uint64(i)], _ = normal_pair(k0, k1, t, 0)
        if last == n:
            break
        first, last = n - LANES, n  # as in fill_uniform


@compiled
def each_pair(keys, t, first, second):
    """Fill ``first`` and ``second`` (n,) with elements 0 and 1 of the uniforms of round ``t``."""
    words = keys.ravel()
    n = first.size
    start, stop = 0, (n - n % LANES if n > LANES else n)
    while True:
        for i in range(start, stop):
            k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
            first[np.uint64(i)], second[np.uint64(i)] = uniform_pair(k0, k1, t, 0)
        if stop == n:
            break
        start, stop = n - LANES, n  # as in fill_uniform


@compiled
def gamma_at(k0, k1, t, index, shape):
    """Draw ``index`` < 2^32 of round ``t`` from Gamma(``shape``, 1), ``shape`` >= 1 [3]_.

    Attempt j takes its normal and its uniform from blocks ``index`` + 2^32 (2 j + 1) and
    ``index`` + 2^32 (2 j + 2), which no other draw of the round touches.
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    block = np.int64(index)
    while True:
        block += 1 << 32
        x, _ = normal_pair(k0, k1, t, block)
        block += 1 << 32
        u, _ = uniform_pair(k0, k1, t, block)
        root = 1.0 + c * x
        if root <= 0.0:
            continue
        v = root * root * root
        # 1 - u is on (0, 1], where the logarithm is finite. A NaN is returned at once: with the
        # negated comparison the loop would never end.
        if not log_of_normal(1.0 - u) >= 0.5 * x * x + d - d * v + d * log_of_normal(v):
            return d * v


@compiled
def beta_at(k0, k1, t, index, a, b):
    """Draw ``index`` < 2^31 of round ``t`` from Beta(``a``, ``b``), ``a`` and ``b`` >= 1.

    From draws 2 ``index`` and 2 ``index`` + 1 of :func:`gamma_at`.
    """
    x = gamma_at(k0, k1, t, 2 * index, a)
    return x / (x + gamma_at(k0, k1, t, 2 * index + 1, b))


@compiled
def _fill_uniforms(keys, rounds, out):
    for i in range(out.shape[0]):
        fill_uniform(keys[i, 0], keys[i, 1], rounds[i], out[i])


@compiled
def _fill_normals(keys, rounds, out):
    for i in range(out.shape[0]):
        fill_normal(keys[i, 0], keys[i, 1], rounds[i], out[i])


class Stream:
    """The draws of one purpose, for n replicates, addressed by round.

    The numbers of replicate i do not depend on n, or on the rounds drawn before.

    Parameters
    ----------
    seeds : iterable of int
        One seed >= 0 per replicate, of any size.
    domain : int
        ``ENVIRONMENT`` or ``AGENT``.
    purpose : int
        The purpose of the numbers; two purposes never share numbers.
    episode : int
        The number of the reset since seeding.

    Attributes
    ----------
    keys : ndarray of shape (n, 2), uint32
        The Philox key of each replicate, for the compiled functions of this module. Not to be
        written to.

    Raises
    ------
    ValueError
        If a seed is not an integer >= 0, or a round not within 0 .. 2^63 - 1.

    Examples
    --------
    >>> noise = Stream([7, 8], ENVIRONMENT, purpose=2, episode=0)
    >>> noise.normal(5, (3,)).shape
    (2, 3)
    >>> bool(noise.normal(5)[1] == Stream([8], ENVIRONMENT, purpose=2, episode=0).normal(5)[0])
    True
    """

    def __init__(self, seeds: Iterable[int], domain: int, purpose: int, episode: int):
        address = (domain, purpose, episode)
        words = [
            np.random.SeedSequence(_seed(seed), spawn_key=address).generate_state(2, np.uint32)
            for seed in seeds
        ]
        self.keys = np.array(words, np.uint32).reshape(-1, 2)

    def uniform(self, t: int | np.ndarray, shape: tuple[int, ...] = ()) -> np.ndarray:
        """Uniforms on [0, 1) of round ``t`` (an int, or int (n,)): float64 ``(n, *shape)``."""
        return self._draw(t, shape, each_uniform, _fill_uniforms)

    def normal(self, t: int | np.ndarray, shape: tuple[int, ...] = ()) -> np.ndarray:
        """Standard normals of round ``t`` (an int, or int (n,)): float64 ``(n, *shape)``."""
        return self._draw(t, shape, each_normal, _fill_normals)

    def _draw(self, t, shape, each, fill) -> np.ndarray:
        n = len(self.keys)
        out = np.empty((n, *shape))
        if type(t) is int and shape == () and 0 <= t < 2**63:  # once a round: kept cheap
            each(self.keys, t, out)
            return out
        rounds = np.asarray(t)
        if rounds.dtype.kind not in "iu" or rounds.shape not in ((), (n,)):
            raise ValueError(f"t must be a round or {n} rounds, integers, got {t!r}")
        if n and not (rounds.min() >= 0 and rounds.max() < 2**63):
            raise ValueError(f"t must lie within 0 .. 2**63 - 1, got {t!r}")
        every = np.ascontiguousarray(np.broadcast_to(rounds, n), np.int64)
        fill(self.keys, every, out.reshape(n, math.prod(shape)))
        return out


def derived_seed(seed: int, domain: int) -> int:
    """A seed of 128 bits for one domain, from which the original seed cannot be computed.

    It is the BLAKE2b digest of a label, the domain and the seed, each after its length, read as a
    little-endian integer. One-way does not mean secret: anyone with a derived seed can try 0, 1,
    2, .. and see which of them gives it. Only a seed that cannot be guessed stays hidden.

    Examples
    --------
    >>> derived_seed(0, AGENT)
    72972787356467196559403657222769635370
    """
    digest = blake2b(digest_size=16)
    for field in (_DERIVATION, _bytes(domain), _bytes(_seed(seed))):
        digest.update(len(field).to_bytes(8, "little") + field)
    return int.from_bytes(digest.digest(), "little")


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"a seed must be an integer >= 0, got {seed!r}")
    return int(seed)
