"""A float64 in parts: exponent and mantissa; sums and products with their rounding errors.

Sums and products are Dekker's; see the package's references.
"""

import numpy as np

from banditgym.compiled import inlined

MANTISSA_BITS = np.uint64(52)
MANTISSA_MASK = np.uint64(0xFFFFFFFFFFFFF)
_UPPER = np.uint64(0xFFFFFFFFF8000000)  # the upper 26 bits of a mantissa
ROUND = 6755399441055744.0  # 1.5 * 2^52: y + ROUND holds round(y) in its last bits
ROUND_BITS = np.uint64(0x4338000000000000)
LARGEST, SMALLEST_NORMAL = 1.7976931348623157e308, 2.0**-1022
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # HIGH has 32 bits


@inlined
def parted(x):
    """Exponent k (a float64) and m of a positive normal x = 2^k m, m in [sqrt(1/2), sqrt(2))."""
    # For x near 1, k = 0, and m - 1 is exact.
    bits = np.float64(x).view(np.uint64) + np.uint64(0x3FF0000000000000 - 0x3FE6A09E00000000)
    k = np.float64(np.int64(bits >> MANTISSA_BITS) - 1023)
    mantissa = np.uint64((bits & MANTISSA_MASK) + np.uint64(0x3FE6A09E00000000))
    return k, mantissa.view(np.float64)


@inlined
def _upper(x):
    return np.uint64(np.float64(x).view(np.uint64) & _UPPER).view(np.float64)


@inlined
def two_product(a, b):
    """a * b and its rounding error to 2^-77 a b, for numbers within 2^-900 .. 2^900."""
    product = a * b
    a1, b1 = _upper(a), _upper(b)
    a2, b2 = a - a1, b - b1
    return product, ((a1 * b1 - product) + (a1 * b2 + a2 * b1)) + a2 * b2


@inlined
def two_sum(a, b):
    """a + b and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
