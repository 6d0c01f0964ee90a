"""Parts of a float64, and exact sums and products against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from banditgym.compiled import compiled
from banditgym.elementary import floats


@compiled
def part(x, exponent, mantissa):
    for i in range(x.size):
        exponent[i], mantissa[i] = floats.parted(x[i])


@compiled
def add(a, b, high, low):
    for i in range(a.size):
        high[i], low[i] = floats.two_sum(a[i], b[i])


@compiled
def multiply(a, b, high, low):
    for i in range(a.size):
        high[i], low[i] = floats.two_product(a[i], b[i])


def test_a_number_is_its_mantissa_times_a_power_of_two(sizes):
    root = np.uint64(0x3FE6A09E00000000).view(np.float64)  # sqrt(1/2) to 20 bits
    around = [np.nextafter(root, 0), root, np.nextafter(root, 1), 1.0 - 2.0**-53, 1.0, 2.0 * root]
    x = np.concatenate([sizes(-1022, 1023), around, [floats.LARGEST, floats.SMALLEST_NORMAL]])
    exponent, mantissa = np.empty((2, x.size))
    part(x, exponent, mantissa)
    assert np.all((mantissa >= root) & (mantissa < 2 * root))
    for number, k, m in zip(x, exponent, mantissa, strict=True):
        assert Fraction(float(number)) == Fraction(float(m)) * Fraction(2) ** int(k)


# The sum of two products of halves has 54 bits, so one of them may be lost.
@pytest.mark.parametrize(("kernel", "lost"), [(add, 0), (multiply, Fraction(1, 2**77))])
def test_a_result_comes_with_its_rounding_error(kernel, lost, sizes):
    a = sizes(-60, 60) * np.where(np.arange(1500) % 2, 1, -1)
    b = sizes(-60, 60, seed=2)
    high, low = np.empty((2, a.size))
    kernel(a, b, high, low)
    assert np.array_equal(high, a + b if kernel is add else a * b)
    for x, y, h, e in zip(*map(np.ndarray.tolist, (a, b, high, low)), strict=True):
        exact = Fraction(x) + Fraction(y) if kernel is add else Fraction(x) * Fraction(y)
        assert abs(Fraction(h) + Fraction(e) - exact) <= lost * abs(exact)
