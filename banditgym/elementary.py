r"""Exponentials, logarithms, powers, sines and cosines with the same bits on every processor.

Mathematical libraries and numpy choose their code by the processor, so last bits differ, and
decisions with them. These functions use only + - * / and operations on the bits of a float64, in an
order that no compiler may change (:mod:`~banditgym.compiled` allows neither fast-math nor
contraction). All draws of environments and all decisions of agents use these functions.

The polynomials and the argument reductions are those of fdlibm [1]_ (files e_exp.c, e_log.c,
s_log1p.c, s_expm1.c, e_sinh.c, k_sin.c, k_cos.c, e_rem_pio2.c). Where loops should vectorise, its
branches are replaced by choices between two values. There are three differences:

- :math:`x^y = e^{y \log x}`, where log x = k log 2 + 2 artanh(f / (2 + f)) is the unevaluated sum
  of two float64, from the series of artanh and Dekker's exact sums and products [2]_. Its error is
  less than 2^-64 log x.
- Angles beyond :data:`FAR` are reduced with 190 bits of their product with 2 / pi (Payne and Hanek
  [3]_), which are enough for every float64.
- Random normals have short forms of their own: the logarithm of a positive normal number, and sine
  and cosine of an angle in turns.

Errors are less than 2 units in the last place for ``sinh`` and ``sine_cosine_of_turns``, and less
than 1 for all others.

For zeros, infinities, NaN and subnormal numbers the results are those of numpy's functions, without
warnings.

Compiled code calls ``exp(x)``, Python code ``each_exp(x)``: it takes a number and returns a float,
or takes an array_like and returns a new float64 array of its shape. Both have equal bits.

References
----------
.. [1] fdlibm 5.3, Sun Microsystems, 1993 to 2004. https://www.netlib.org/fdlibm/
.. [2] T. J. Dekker. A Floating-Point Technique for Extending the Available Precision. Numerische
   Mathematik 18, 1971.
.. [3] M. Payne, R. Hanek. Radian Reduction for Trigonometric Functions. SIGNUM Newsletter 18, 1983.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled, inlined

# The largest angle of ``sine_cosine``: up to there it holds less than 2^20 quarter turns.
FAR = 1647099.0

_52 = np.uint64(52)
_MANTISSA = np.uint64(0xFFFFFFFFFFFFF)
_UPPER = np.uint64(0xFFFFFFFFF8000000)  # the upper 26 bits of a mantissa
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # HIGH has 32 bits
_INVERSE_LN2 = 1.44269504088896338700
_ROUND = 6755399441055744.0  # 1.5 * 2^52: y + _ROUND holds round(y) in its last bits
_ROUND_BITS = np.uint64(0x4338000000000000)
_LARGEST, _SMALLEST_NORMAL = 1.7976931348623157e308, 2.0**-1022


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
def _parted(x):
    """Exponent k (a float64) and m of a positive normal x = 2^k m, m in [sqrt(1/2), sqrt(2))."""
    # For x near 1, k = 0, and m - 1 is exact.
    bits = np.float64(x).view(np.uint64) + np.uint64(0x3FF0000000000000 - 0x3FE6A09E00000000)
    k = np.float64(np.int64(bits >> _52) - 1023)
    mantissa = np.uint64((bits & _MANTISSA) + np.uint64(0x3FE6A09E00000000))
    return k, mantissa.view(np.float64)


@inlined
def log_of_normal(x):
    """Natural logarithm of a normal positive float64."""
    k, m = _parted(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    return k * _LN2_HIGH - ((half - (s * (half + _half_log(f, s * s)) + k * _LN2_LOW)) - f)


@inlined
def log(x):
    """Natural logarithm."""
    x = np.float64(x)
    small = x < _SMALLEST_NORMAL
    value = log_of_normal(x * 2.0**54 if small else x)
    # 54 log 2 can be subtracted afterwards, because the sum is never near 0.
    value = (value - 54.0 * _LN2_LOW) - 54.0 * _LN2_HIGH if small else value
    value = value if x <= _LARGEST else x  # infinity and NaN
    return value if x > 0.0 else (-np.inf if x == 0.0 else np.nan)


@inlined
def log1p(x):
    """log(1 + x)."""
    x = np.float64(x)
    u = 1.0 + x
    k, m = _parted(u)
    # The rounding error of 1 + x is corrected to first order; for k = 0 there is none.
    lost = (1.0 - (u - x) if x > 1.0 else x - (u - 1.0)) / u
    lost = 0.0 if k == 0.0 else lost
    f = x if k == 0.0 else m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = s * (half + _half_log(f, s * s)) + (k * _LN2_LOW + lost)
    value = k * _LN2_HIGH - ((half - rest) - f)
    value = x if abs(x) < 2.0**-54 else value  # keeps the sign of 0
    value = value if x <= _LARGEST else x
    return value if x > -1.0 else (-np.inf if x == -1.0 else np.nan)


@inlined
def _exp(x, rest, halvings):
    """exp(x + rest) / 2^halvings for a small rest, without a subnormal intermediate value."""
    x = 800.0 if x > 800.0 else x
    x = -800.0 if x < -800.0 else x
    shifted = x * _INVERSE_LN2 + _ROUND
    k = shifted - _ROUND
    high = x - k * _LN2_HIGH  # exact
    low = k * _LN2_LOW - rest
    r = high - low
    z = r * r
    p = -1.65339022054652515390e-06 + z * 4.13813679705723846039e-08
    p = 6.61375632143793436117e-05 + z * p
    p = -2.77777777770155933842e-03 + z * p
    c = r - z * (1.66666666666666019037e-01 + z * p)
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    # 2^k in two factors, neither of which overflows; only the second product may round.
    both = np.float64(shifted).view(np.uint64) - _ROUND_BITS + np.uint64(2046 - halvings)
    first = both >> np.uint64(1)
    second = both - first
    return y * np.uint64(first << _52).view(np.float64) * np.uint64(second << _52).view(np.float64)


@inlined
def exp(x):
    """Exponential."""
    return _exp(np.float64(x), 0.0, 0)


@inlined
def expm1(x):
    """exp(x) - 1."""
    x = np.float64(x)
    inside = 720.0 if x > 720.0 else x
    inside = -60.0 if inside < -60.0 else inside
    shifted = inside * _INVERSE_LN2 + _ROUND
    k = shifted - _ROUND
    high = inside - k * _LN2_HIGH
    low = k * _LN2_LOW
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
    bits = np.float64(shifted).view(np.uint64) - _ROUND_BITS
    inverse = np.uint64((np.uint64(1023) - bits) << _52).view(np.float64)  # 2^-k for |k| < 1023
    both = bits + np.uint64(2046)
    first = both >> np.uint64(1)
    scale_1 = np.uint64(first << _52).view(np.float64)
    scale_2 = np.uint64((both - first) << _52).view(np.float64)
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
        value = _exp(size, 0.0, 1)
    value = -value if x < 0.0 else value
    return x if size < 2.0**-28 else value


@inlined
def _upper(x):
    return np.uint64(np.float64(x).view(np.uint64) & _UPPER).view(np.float64)


@inlined
def _product(a, b):
    """a * b and its rounding error, for factors and products within 2^-900 .. 2^900."""
    product = a * b
    a1, b1 = _upper(a), _upper(b)
    a2, b2 = a - a1, b - b1
    return product, ((a1 * b1 - product) + (a1 * b2 + a2 * b1)) + a2 * b2


@inlined
def _sum(a, b):
    """a + b and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@inlined
def _double_log(x):
    """Natural logarithm of a normal positive float64 as the sum of two numbers."""
    k, m = _parted(x)
    f = m - 1.0  # exact, as m + 1 is not
    g, g_low = _sum(m, 1.0)
    inverse = 1.0 / g
    s = f * inverse
    product, lost = _product(s, g)
    s_low = (((f - product) - lost) - s * g_low) * inverse
    # log m = 2 (s + s^3 / 3 + s^5 / 5 + ..), |s| < 0.172; from s^5 on 53 bits are enough.
    z, z_low = _product(s, s)
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
    cubic, cubic_low = _product(z, c)
    cubic_low += z * c_low + z_low * c
    t, t_low = _product(s, cubic)
    t_low += s * cubic_low + s_low * cubic
    high, low = _sum(2.0 * s, t)
    low += t_low + 2.0 * s_low
    total, lost = _sum(k * _LN2_HIGH, high)
    low += lost + k * _LN2_LOW
    value = total + low
    return value, (total - value) + low


@inlined
def power(x, y):
    """x to the power of y."""
    x, y = np.float64(x), np.float64(y)
    size = abs(x)
    small = size < _SMALLEST_NORMAL
    high, low = _double_log(size * 2.0**54 if small else size)
    if small:  # 54 log 2 is taken off in full precision
        high, lost = _sum(high, -54.0 * _LN2_HIGH)
        low += lost - 54.0 * _LN2_LOW
    # Exponents beyond 2^64 give 0, 1 or infinity, as 2^64 does.
    inside = 2.0**64 if y > 2.0**64 else y
    inside = -(2.0**64) if inside < -(2.0**64) else inside
    p, rest = _product(inside, high)
    rest += inside * low
    rest = rest if abs(p) < 800.0 else 0.0
    value = _exp(p, rest, 0)
    if size == 0.0:
        value = 0.0 if y > 0.0 else np.inf
    if size > _LARGEST:
        value = np.inf if y > 0.0 else 0.0
    if x != x or y != y:
        value = np.nan
    if x <= 0.0:  # -0.0 too; the last bit tells whether y is odd
        rounded = abs(y) + 4503599627370496.0
        whole = (rounded - 4503599627370496.0 == abs(y)) or abs(y) >= 4503599627370496.0
        last = rounded if abs(y) < 4503599627370496.0 else abs(y)
        odd = (np.float64(last).view(np.uint64) & np.uint64(1)) != np.uint64(0)
        odd = odd and whole and abs(y) < 9007199254740992.0
        negative = (x.view(np.uint64) >> np.uint64(63)) != np.uint64(0)
        value = -value if odd and negative else value
        value = np.nan if x < 0.0 and not whole and size <= _LARGEST else value
    return 1.0 if x == 1.0 or y == 0.0 else value


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
    shifted = y + _ROUND
    quarters = np.float64(shifted).view(np.int64)  # its low bits count the quarters
    x = (y - (shifted - _ROUND)) * 1.5707963267948966
    z = x * x
    sine = x + x * (z * (-1.66666666666666324348e-01 + z * _sine_polynomial(z)))
    half = 0.5 * z
    cosine = 1.0 - (half - (z * z) * _cosine_polynomial(z))
    return _turned(sine, cosine, quarters)


@inlined
def _sine_cosine_near(x, low, quarters):
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
    shifted = inside * 6.36619772367581382433e-01 + _ROUND
    quarters = np.float64(shifted).view(np.int64)
    n = shifted - _ROUND
    # pi / 2 in three parts whose products with n are exact, and the rest.
    high = inside - n * 1.57079632673412561417e00  # exact
    high, lost_1 = _sum(high, -(n * 6.07710050630396597660e-11))
    high, lost_2 = _sum(high, -(n * 2.02226624871116645580e-21))
    low = (lost_1 + lost_2) - n * 8.47842766036889956997e-32
    angle = high + low
    sine, cosine = _sine_cosine_near(angle, (high - angle) + low, quarters)
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
def _sine_cosine_far(x):
    """Sine and cosine of any angle of at least 2^20."""
    if not abs(x) <= _LARGEST:
        return np.nan, np.nan
    bits = np.float64(abs(x)).view(np.uint64)
    exponent = np.int64(bits >> _52) - 1075  # |x| = mantissa 2^exponent
    mantissa = (bits & _MANTISSA) | np.uint64(1 << 52)
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
    high, low = _sum(np.float64(a >> _32) * 2.0**-32, np.float64(a & _WORD) * 2.0**-64)
    high, lost = _sum(high, np.float64(b >> _32) * 2.0**-96)
    low += lost
    high, lost = _sum(high, np.float64(b & _WORD) * 2.0**-128)
    low += lost
    high, low = high + low, (high - (high + low)) + low
    # The fraction is a multiple of 2^-128 here, and at least 2^-63: times pi / 2 in two parts.
    angle, lost = _product(high, 1.5707963267948966)
    lost += high * 6.123233995736766e-17 + low * 1.5707963267948966
    angle, lost = angle + lost, (angle - (angle + lost)) + lost
    if above:
        angle, lost = -angle, -lost
    sine, cosine = _sine_cosine_near(angle, lost, quarters)
    return -sine if x < 0.0 else sine, cosine


@inlined
def sin(x):
    """Sine of any angle; not for loops that should vectorise (there ``sine_cosine``)."""
    if abs(x) <= FAR:
        return sine_cosine(x)[0]
    return _sine_cosine_far(x)[0]


@inlined
def cos(x):
    """Cosine of any angle; not for loops that should vectorise (there ``sine_cosine``)."""
    if abs(x) <= FAR:
        return sine_cosine(x)[1]
    return _sine_cosine_far(x)[1]


@compiled
def _one_exp(x):
    return exp(x)


@compiled
def _one_log(x):
    return log(x)


@compiled
def _one_log1p(x):
    return log1p(x)


@compiled
def _one_expm1(x):
    return expm1(x)


@compiled
def _one_sinh(x):
    return sinh(x)


@compiled
def _one_sin(x):
    return sin(x)


@compiled
def _one_cos(x):
    return cos(x)


@compiled
def _one_power(x, y):
    return power(x, y)


@compiled
def _fill_exp(x, out):
    for i in range(x.size):
        out[i] = exp(x[i])


@compiled
def _fill_log(x, out):
    for i in range(x.size):
        out[i] = log(x[i])


@compiled
def _fill_log1p(x, out):
    for i in range(x.size):
        out[i] = log1p(x[i])


@compiled
def _fill_expm1(x, out):
    for i in range(x.size):
        out[i] = expm1(x[i])


@compiled
def _fill_sinh(x, out):
    for i in range(x.size):
        out[i] = sinh(x[i])


@compiled
def _fill_sin(x, out):
    for i in range(x.size):
        out[i], _ = sine_cosine(x[i])
    for i in range(x.size):  # apart, so that the loop above vectorises
        if abs(x[i]) > FAR:
            out[i], _ = _sine_cosine_far(x[i])


@compiled
def _fill_cos(x, out):
    for i in range(x.size):
        _, out[i] = sine_cosine(x[i])
    for i in range(x.size):  # apart, so that the loop above vectorises
        if abs(x[i]) > FAR:
            _, out[i] = _sine_cosine_far(x[i])


@compiled
def _fill_power(x, y, out):
    for i in range(x.size):
        out[i] = power(x[i], y[i])


def _each(one: Callable, fill: Callable, x: ArrayLike) -> Any:
    if type(x) is float:
        return one(x)
    values = np.ascontiguousarray(x, np.float64)  # of at least one dimension
    out = np.empty(values.shape)
    fill(values.reshape(-1), out.reshape(-1))
    return out if np.ndim(x) else float(out[0])


def each_exp(x: ArrayLike) -> Any:
    """exp(x) of a number or of each element of an array_like."""
    return _each(_one_exp, _fill_exp, x)


def each_log(x: ArrayLike) -> Any:
    """Natural logarithm of a number or of each element of an array_like."""
    return _each(_one_log, _fill_log, x)


def each_log1p(x: ArrayLike) -> Any:
    """log(1 + x) of a number or of each element of an array_like."""
    return _each(_one_log1p, _fill_log1p, x)


def each_expm1(x: ArrayLike) -> Any:
    """exp(x) - 1 of a number or of each element of an array_like."""
    return _each(_one_expm1, _fill_expm1, x)


def each_sinh(x: ArrayLike) -> Any:
    """Hyperbolic sine of a number or of each element of an array_like."""
    return _each(_one_sinh, _fill_sinh, x)


def each_sin(x: ArrayLike) -> Any:
    """Sine of a number or of each element of an array_like."""
    return _each(_one_sin, _fill_sin, x)


def each_cos(x: ArrayLike) -> Any:
    """Cosine of a number or of each element of an array_like."""
    return _each(_one_cos, _fill_cos, x)


def each_power(x: ArrayLike, y: ArrayLike) -> Any:
    """x to the power of y, of numbers or of array_likes that broadcast together."""
    if type(x) is float and type(y) is float:
        return _one_power(x, y)
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    bases, exponents = (
        np.ascontiguousarray(np.broadcast_to(np.asarray(given, np.float64), shape)).reshape(-1)
        for given in (x, y)
    )
    out = np.empty(bases.size)
    _fill_power(bases, exponents, out)
    return out.reshape(shape) if shape else float(out[0])
