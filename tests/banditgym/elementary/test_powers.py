"""Powers against numbers of many digits."""

import math

import mpmath
import numpy as np
import pytest

from banditgym.elementary import each_power

CASES = {
    "of moderate numbers": lambda spread, sizes: (
        sizes(-7, 7, seed=2),
        spread(-100, 100, seed=3),
    ),
    "of numbers of all sizes": lambda spread, sizes: (
        sizes(-1022, 1024, seed=4),
        spread(-1, 1, seed=5),
    ),
    "of numbers near 1": lambda spread, sizes: (  # up to the largest powers
        1 + spread(-1e-6, 1e-6, seed=6),
        spread(-7e8, 7e8, seed=7),
    ),
    "large and small": lambda spread, sizes: (
        spread(0.5, 2, seed=8),
        spread(-1070, 1020, seed=9),
    ),
    "of subnormal numbers": lambda spread, sizes: (
        np.arange(1, 1500) * 5e-324,
        spread(-0.9, 0.9, 1499, seed=10),
    ),
    "square roots": lambda spread, sizes: (sizes(-30, 30, seed=11), np.full(1500, 0.5)),
    "cube roots": lambda spread, sizes: (sizes(-30, 30, seed=12), np.full(1500, 1 / 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_powers_err_by_less_than_a_unit(name, worst, spread, sizes):
    x, y = CASES[name](spread, sizes)
    error, where = worst(each_power(x, y), mpmath.power, x, y)
    assert error < 1.0, where


def test_powers_with_exact_values_are_those():
    x = np.arange(1.0, 200.0)
    assert np.array_equal(each_power(x, 2.0), x * x)
    assert np.array_equal(each_power(x, 3.0), x * x * x)
    assert np.array_equal(each_power(x * x, 0.5), x)
    assert np.array_equal(each_power(x, 1.0), x)
    whole = np.arange(-1074, 1024)
    exact = [math.ldexp(1.0, k) for k in whole.tolist()]
    assert np.array_equal(each_power(2.0, whole.astype(float)), exact)
