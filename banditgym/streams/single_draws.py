"""Single draws at an address: Philox's words, uniforms, normals, gamma and beta.

References
----------
.. [1] G. Marsaglia, W. W. Tsang. A Simple Method for Generating Gamma Variables. ACM Transactions
   on Mathematical Software 26, 2000.
"""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import log_of_normal, sine_cosine_of_turns

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
def box_muller(u, v):
    """Two normals from two uniforms on [0, 1), multiples of 2^-53.

    A loop over uniforms and a second one over normals hide latencies better than one of twice the
    length: 100 normals of as many keys take 0.25 microseconds instead of 0.39.
    """
    radius = np.sqrt(-2.0 * log_of_normal(u + 2.0**-53))  # the sum is exact, and never 0
    sine, cosine = sine_cosine_of_turns(v)
    return radius * cosine, radius * sine


@inlined
def normal_pair(k0, k1, t, block):
    """Normals 2 ``block`` and 2 ``block`` + 1 of round ``t``."""
    u, v = uniform_pair(k0, k1, t, block)
    return box_muller(u, v)


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
def gamma_at(k0, k1, t, index, shape):
    """Draw ``index`` < 2^32 of round ``t`` from Gamma(``shape``, 1), ``shape`` >= 1 [1]_.

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
