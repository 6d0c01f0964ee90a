"""Exponentials, logarithms and the hyperbolic sine, by fdlibm's polynomials."""

import numpy as np

from banditgym.compiled import inlined
from banditgym.elementary.floats import (
    LARGEST,
    LN2_HIGH,
    LN2_LOW,
    MANTISSA_BITS,
    ROUND,
    ROUND_BITS,
    SMALLEST_NORMAL,
    parted,
)

INVERSE_LN2 = 1.44269504088896338700


@inlined
def _half_log(f, z):
    """R(z) of e_log.c: log(1 + f) = 2 s + s R, where s = f / (2 + f) and z = s^2."""
    w = z * z
    even = 2.222219843214978396e-01 + w * 1.531383769920937332e-01
    even = w * (3.999999999940941908e-01 + w * even)
    odd = 1.818357216161805012e-01 + w * 1.479819860511658591e-01
    odd = 2.857142874366239149e-01 + w * odd
    odd = z * (6.666666666666735130e-01 + w * odd)
    return even + odd


@inlined
def log_of_normal(x):
    """Natural logarithm of a normal positive float64."""
    k, m = parted(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + _half_log(f, s * s)) + k * LN2_LOW)) - f)


@inlined
def log(x):
    """Natural logarithm."""
    x = np.float64(x)
    small = x < SMALLEST_NORMAL
    value = log_of_normal(x * 2.0**54 if small else x)
    # 54 log 2 can be subtracted afterwards, because the sum is never near 0.
    value = (value - 54.0 * LN2_LOW) - 54.0 * LN2_HIGH if small else value
    value = value if x <= LARGEST else x  # infinity and NaN
    return value if x > 0.0 else (-np.inf if x == 0.0 else np.nan)


@inlined
def log1p(x):
    """log(1 + x)."""
    x = np.float64(x)
    u = 1.0 + x
    k, m = parted(u)
    # The rounding error of 1 + x is corrected to first order; for k = 0 there is none.
    lost = (1.0 - (u - x) if x > 1.0 else x - (u - 1.0)) / u
    lost = 0.0 if k == 0.0 else lost
    f = x if k == 0.0 else m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = s * (half + _half_log(f, s * s)) + (k * LN2_LOW + lost)
    value = k * LN2_HIGH - ((half - rest) - f)
    value = x if abs(x) < 2.0**-54 else value  # keeps the sign of 0
    value = value if x <= LARGEST else x
    return value if x > -1.0 else (-np.inf if x == -1.0 else np.nan)


@inlined
def scaled_exp(x, rest, halvings):
    """exp(x + rest) / 2^halvings for a small rest, without a subnormal intermediate value."""
    x = 800.0 if x > 800.0 else x
    x = -800.0 if x < -800.0 else x
    shifted = x * INVERSE_LN2 + ROUND
    k = shifted - ROUND
    high = x - k * LN2_HIGH  # exact
    low = k * LN2_LOW - rest
    r = high - low
    z = r * r
    p = -1.65339022054652515390e-06 + z * 4.13813679705723846039e-08
    p = 6.61375632143793436117e-05 + z * p
    p = -2.77777777770155933842e-03 + z * p
    c = r - z * (1.66666666666666019037e-01 + z * p)
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    # 2^k in two factors, neither of which overflows; only the second product may round.
    both = np.float64(shifted).view(np.uint64) - ROUND_BITS + np.uint64(2046 - halvings)
    first = both >> np.uint64(1)
    second = both - first
    return (
        y
        * np.uint64(first << MANTISSA_BITS).view(np.float64)
        * np.uint64(second << MANTISSA_BITS).view(np.float64)
    )


@inlined
def exp(x):
    """Exponential."""
    return scaled_exp(np.float64(x), 0.0, 0)


@inlined
def expm1(x):
    """exp(x) - 1."""
    x = np.float64(x)
    inside = 720.0 if x > 720.0 else x
    inside = -60.0 if inside < -60.0 else inside
    shifted = inside * INVERSE_LN2 + ROUND
    k = shifted - ROUND
    high = inside - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    c = (high - r) - low
    half = 0.5 * r
    z = r * half
    p = 4.00821782732936239552e-06 + z * -2.01099218183624371326e-07
    p = -7.93650757867487942473e-05 + z * p
    p = 1.58730158725481460165e-03 + z * p
    p = 1.0 + z * (-3.33333333333331316428e-02 + z * p)
    t = 3.0 - p * half
    e = z * ((p - t) / (6.0 - r * t))
    at_0 = r - (r * e - z)
    e = (r * (e - c) - c) - z  # expm1(r + c) = r - e
    # exp(x) - 1 = 2^k (r - e + 1 - 2^-k), in the order that suits the size of k.
    bits = np.float64(shifted).view(np.uint64) - ROUND_BITS
    # 2^-k for |k| < 1023
    inverse = np.uint64((np.uint64(1023) - bits) << MANTISSA_BITS).view(np.float64)
    both = bits + np.uint64(2046)
    first = both >> np.uint64(1)
    scale_1 = np.uint64(first << MANTISSA_BITS).view(np.float64)
    scale_2 = np.uint64((both - first) << MANTISSA_BITS).view(np.float64)
    if k == 1.0 and r < -0.25:
        value = -2.0 * (e - (r + 0.5))
    elif k == 1.0:
        value = 1.0 + 2.0 * (r - e)
    elif k == -1.0:
        value = 0.5 * (r - e) - 0.5
    elif k < 0.0 or k > 56.0:
        value = (1.0 - (e - r)) * scale_1 * scale_2 - 1.0
    elif k < 20.0:
        value = ((1.0 - inverse) - (e - r)) * scale_1 * scale_2
    else:
        value = ((r - (e + inverse)) + 1.0) * scale_1 * scale_2
    value = at_0 if k == 0.0 else value
    return x if abs(x) < 2.0**-54 or x != x else value


@inlined
def sinh(x):
    """Hyperbolic sine."""
    x = np.float64(x)
    size = abs(x)
    if size < 22.0:
        t = expm1(size)
        value = 0.5 * (2.0 * t - t * t / (t + 1.0) if size < 1.0 else t + t / (t + 1.0))
    else:
        value = scaled_exp(size, 0.0, 1)
    value = -value if x < 0.0 else value
    return x if size < 2.0**-28 else value
