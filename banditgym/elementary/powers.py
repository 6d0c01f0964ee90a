"""Powers: the exponential of a multiple of a logarithm that is the sum of two float64."""

import numpy as np

from banditgym.compiled import inlined
from banditgym.elementary.exponentials import scaled_exp
from banditgym.elementary.floats import (
    LARGEST,
    LN2_HIGH,
    LN2_LOW,
    SMALLEST_NORMAL,
    parted,
    two_product,
    two_sum,
)


@inlined
def _double_log(x):
    """Natural logarithm of a normal positive float64 as the sum of two numbers."""
    k, m = parted(x)
    f = m - 1.0  # exact, as m + 1 is not
    g, g_low = two_sum(m, 1.0)
    inverse = 1.0 / g
    s = f * inverse
    product, lost = two_product(s, g)
    s_low = (((f - product) - lost) - s * g_low) * inverse
    # log m = 2 (s + s^3 / 3 + s^5 / 5 + ..), |s| < 0.172; from s^5 on 53 bits are enough.
    z, z_low = two_product(s, s)
    z_low += 2.0 * s * s_low
    w = z * z
    odd = 2.0 / 23.0 + w * (2.0 / 27.0)
    odd = 2.0 / 19.0 + w * odd
    odd = 2.0 / 15.0 + w * odd
    odd = 2.0 / 11.0 + w * odd
    odd = 2.0 / 7.0 + w * odd
    even = 2.0 / 21.0 + w * (2.0 / 25.0)
    even = 2.0 / 17.0 + w * even
    even = 2.0 / 13.0 + w * even
    even = 2.0 / 9.0 + w * even
    even = 2.0 / 5.0 + w * even
    tail = even + z * odd
    third = 2.0 / 3.0
    c = third + z * tail
    c_low = ((third - c) + z * tail) + (3.700743415417188e-17 + z_low * tail)
    cubic, cubic_low = two_product(z, c)
    cubic_low += z * c_low + z_low * c
    t, t_low = two_product(s, cubic)
    t_low += s * cubic_low + s_low * cubic
    high, low = two_sum(2.0 * s, t)
    low += t_low + 2.0 * s_low
    total, lost = two_sum(k * LN2_HIGH, high)
    low += lost + k * LN2_LOW
    value = total + low
    return value, (total - value) + low


@inlined
def power(x, y):
    """x to the power of y."""
    x, y = np.float64(x), np.float64(y)
    size = abs(x)
    small = size < SMALLEST_NORMAL
    high, low = _double_log(size * 2.0**54 if small else size)
    if small:  # 54 log 2 is taken off in full precision
        high, lost = two_sum(high, -54.0 * LN2_HIGH)
        low += lost - 54.0 * LN2_LOW
    # Exponents beyond 2^64 give 0, 1 or infinity, as 2^64 does.
    inside = 2.0**64 if y > 2.0**64 else y
    inside = -(2.0**64) if inside < -(2.0**64) else inside
    p, rest = two_product(inside, high)
    rest += inside * low
    rest = rest if abs(p) < 800.0 else 0.0
    value = scaled_exp(p, rest, 0)
    if size == 0.0:
        value = 0.0 if y > 0.0 else np.inf
    if size > LARGEST:
        value = np.inf if y > 0.0 else 0.0
    if x != x or y != y:
        value = np.nan
    if x <= 0.0:  # -0.0 too; the last bit is 1 if y is odd
        rounded = abs(y) + 4503599627370496.0
        whole = (rounded - 4503599627370496.0 == abs(y)) or abs(y) >= 4503599627370496.0
        last = rounded if abs(y) < 4503599627370496.0 else abs(y)
        odd = (np.float64(last).view(np.uint64) & np.uint64(1)) != np.uint64(0)
        odd = odd and whole and abs(y) < 9007199254740992.0
        negative = (x.view(np.uint64) >> np.uint64(63)) != np.uint64(0)
        value = -value if odd and negative else value
        value = np.nan if x < 0.0 and not whole and size <= LARGEST else value
    return 1.0 if x == 1.0 or y == 0.0 else value
