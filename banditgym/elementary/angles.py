"""Sines and cosines: of turns, of angles that loops vectorise, and of any angle."""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary.floats import (
    LARGEST,
    MANTISSA_BITS,
    MANTISSA_MASK,
    ROUND,
    two_product,
    two_sum,
)

# The largest angle of ``sine_cosine``: up to there it holds less than 2^20 quarter turns.
FAR = 1647099.0


@inlined
def _sine_polynomial(z):
    p = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    p = 2.75573137070700676789e-06 + z * p
    p = -1.98412698298579493134e-04 + z * p
    return 8.33333333332248946124e-03 + z * p


@inlined
def _cosine_polynomial(z):
    p = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11
    p = -2.75573143513906633035e-07 + z * p
    p = 2.48015872894767294178e-05 + z * p
    p = -1.38888888888741095749e-03 + z * p
    return 4.16666666666666019037e-02 + z * p


@inlined
def _turned(sine, cosine, quarters):
    """Sine and cosine of an angle plus as many quarter turns."""
    swap = (quarters & 1) != 0
    across = cosine if swap else sine
    along = sine if swap else cosine
    return (
        -across if (quarters & 2) != 0 else across,
        -along if ((quarters + 1) & 2) != 0 else along,
    )


@inlined
def sine_cosine_of_turns(turns):
    """Sine and cosine of an angle of 0 <= ``turns`` < 1."""
    # Whole quarter turns are subtracted exactly; the rest is an angle within pi / 4.
    y = 4.0 * turns
    shifted = y + ROUND
    quarters = np.float64(shifted).view(np.int64)  # its low bits count the quarters
    x = (y - (shifted - ROUND)) * 1.5707963267948966
    z = x * x
    sine = x + x * (z * (-1.66666666666666324348e-01 + z * _sine_polynomial(z)))
    half = 0.5 * z
    cosine = 1.0 - (half - (z * z) * _cosine_polynomial(z))
    return _turned(sine, cosine, quarters)


@inlined
def sine_cosine_near(x, low, quarters):
    """Sine and cosine of x + low + quarters pi / 2, |x| <= pi / 4."""
    z = x * x
    v = z * x
    p = _sine_polynomial(z)
    sine = x - ((z * (0.5 * low - v * p) - low) - v * -1.66666666666666324348e-01)
    half = 0.5 * z
    w = 1.0 - half
    cosine = w + (((1.0 - w) - half) + (z * (z * _cosine_polynomial(z)) - x * low))
    return _turned(sine, cosine, quarters)


@inlined
def sine_cosine(x):
    """Sine and cosine of an angle within -FAR .. FAR, in a form that vectorises; NaN beyond."""
    x = np.float64(x)
    inside = x if abs(x) <= FAR else np.nan
    shifted = inside * 6.36619772367581382433e-01 + ROUND
    quarters = np.float64(shifted).view(np.int64)
    n = shifted - ROUND
    # pi / 2 in three parts whose products with n are exact, and the rest.
    high = inside - n * 1.57079632673412561417e00  # exact
    high, lost_1 = two_sum(high, -(n * 6.07710050630396597660e-11))
    high, lost_2 = two_sum(high, -(n * 2.02226624871116645580e-21))
    low = (lost_1 + lost_2) - n * 8.47842766036889956997e-32
    angle = high + low
    sine, cosine = sine_cosine_near(angle, (high - angle) + low, quarters)
    return x if abs(x) < 2.0**-27 else sine, cosine  # keeps the sign of 0


# 2 / pi in words of 32 bits, after two words of zeros.
_TWO_OVER_PI = np.array(
    [
        *(0, 0),
        *(0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB),
        *(0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E),
        *(0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B),
        *(0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7),
        *(0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1),
        *(0x1F8D5D08, 0x56033046),
    ],
    np.uint64,
)
_32, _WORD = np.uint64(32), np.uint64(0xFFFFFFFF)


@compiled
def sine_cosine_far(x):
    """Sine and cosine of any angle of at least 2^20."""
    if not abs(x) <= LARGEST:
        return np.nan, np.nan
    bits = np.float64(abs(x)).view(np.uint64)
    exponent = np.int64(bits >> MANTISSA_BITS) - 1075  # |x| = mantissa 2^exponent
    mantissa = (bits & MANTISSA_MASK) | np.uint64(1 << 52)
    upper, lower = mantissa >> _32, mantissa & _WORD
    # Bits of 2 / pi before this one count whole turns; 192 bits from there on, times the mantissa,
    # modulo 2^192: two bits of quarters, then 190 of their fraction. Last words first.
    start = exponent + 62
    shift = np.uint64(32 - (start & 31))
    a = b = c = carry = previous = np.uint64(0)
    for j in range(5, -1, -1):
        place = (start >> 5) + j
        word = (((_TWO_OVER_PI[place] << _32) | _TWO_OVER_PI[place + 1]) >> shift) & _WORD
        one, two = lower * word, upper * previous
        total = (one & _WORD) + (two & _WORD) + (carry & _WORD)
        carry = (one >> _32) + (two >> _32) + (carry >> _32) + (total >> _32)
        c = (c >> _32) | (b << _32)
        b = (b >> _32) | (a << _32)
        a = (a >> _32) | (total << _32)
        previous = word
    quarters = np.int64(a >> np.uint64(62))
    a = (a << np.uint64(2)) | (b >> np.uint64(62))
    b = (b << np.uint64(2)) | (c >> np.uint64(62))
    above = (a >> np.uint64(63)) != np.uint64(0)  # at least half a quarter: the next is nearer
    if above:
        quarters += 1
        a, b = ~a, ~b
    high, low = two_sum(np.float64(a >> _32) * 2.0**-32, np.float64(a & _WORD) * 2.0**-64)
    high, lost = two_sum(high, np.float64(b >> _32) * 2.0**-96)
    low += lost
    high, lost = two_sum(high, np.float64(b & _WORD) * 2.0**-128)
    low += lost
    high, low = high + low, (high - (high + low)) + low
    # The fraction is a multiple of 2^-128 here, and at least 2^-63: times pi / 2 in two parts.
    angle, lost = two_product(high, 1.5707963267948966)
    lost += high * 6.123233995736766e-17 + low * 1.5707963267948966
    angle, lost = angle + lost, (angle - (angle + lost)) + lost
    if above:
        angle, lost = -angle, -lost
    sine, cosine = sine_cosine_near(angle, lost, quarters)
    return -sine if x < 0.0 else sine, cosine


@inlined
def sin(x):
    """Sine of any angle; not for loops that should vectorise (there ``sine_cosine``)."""
    if abs(x) <= FAR:
        return sine_cosine(x)[0]
    return sine_cosine_far(x)[0]


@inlined
def cos(x):
    """Cosine of any angle; not for loops that should vectorise (there ``sine_cosine``)."""
    if abs(x) <= FAR:
        return sine_cosine(x)[1]
    return sine_cosine_far(x)[1]
