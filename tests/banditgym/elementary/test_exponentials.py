"""Exponentials, logarithms and the hyperbolic sine against numbers of many digits."""

import mpmath
import numpy as np
import pytest

from banditgym import elementary

LEAST = 5e-324
# The exact function, the bound on errors, and the arguments.
CASES = {
    "exp": (
        mpmath.exp,
        1.0,
        lambda spread, sizes: [
            *(spread(-1, 1), spread(-708, 709.78), spread(-745.2, -708)),
            *(sizes(-60, 5), -sizes(-60, 5)),
        ],
    ),
    "log": (
        mpmath.log,
        1.0,
        lambda spread, sizes: [
            *(spread(0.5, 2), sizes(-1022, 1024)),
            *(np.arange(1, 500) * LEAST, 1 + spread(-1e-5, 1e-5)),
        ],
    ),
    "log1p": (
        lambda x: mpmath.log(1 + x),
        1.0,
        lambda spread, sizes: [
            *(spread(-1, 1), spread(-0.35, 0.5)),
            *(sizes(-60, 1023), -sizes(-60, 0), sizes(-3, 6)),
        ],
    ),
    "expm1": (
        mpmath.expm1,
        1.0,
        lambda spread, sizes: [
            *(spread(-2, 2), spread(-60, 709.78), sizes(-60, 4), -sizes(-60, 4)),
        ],
    ),
    "sinh": (
        mpmath.sinh,
        2.0,
        lambda spread, sizes: [spread(-2, 2), spread(-30, 30), spread(-710.4, 710.4)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_errors_stay_below_the_stated_bounds(name, worst, spread, sizes):
    function, bound, parts = CASES[name]
    x = np.concatenate(parts(spread, sizes))
    error, where = worst(getattr(elementary, f"each_{name}")(x), function, x)
    assert error < bound, where


@pytest.mark.parametrize("name", CASES)
def test_growing_arguments_give_growing_values(name, spread):
    x = np.sort(np.concatenate([spread(0.01, 2), spread(0.01, 700), 1 + np.arange(500) * 2.0**-52]))
    assert np.all(np.diff(getattr(elementary, f"each_{name}")(x)) >= 0)
