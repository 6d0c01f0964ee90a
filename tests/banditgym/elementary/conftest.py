"""Numbers of many sizes, and the errors of a function's values in units in the last place."""

import math

import mpmath
import numpy as np
import pytest

LARGEST = 1.7976931348623157e308


def largest_error(got, function, *arguments):
    """The largest error of ``got``, in units in the last place of the exact value, and where."""
    worst, where = 0.0, None
    with mpmath.workprec(1300):  # of sines and cosines of the largest float64
        for value, *given in zip(got, *arguments, strict=True):
            exact = function(*(mpmath.mpf(float(x)) for x in given))
            nearest = float(exact)
            if math.isinf(nearest):
                assert value == nearest or abs(value) == LARGEST
                continue
            error = float(abs(mpmath.mpf(float(value)) - exact) / mpmath.mpf(math.ulp(nearest)))
            if not error <= worst:
                worst, where = error, given
    return worst, where


def uniform(low, high, size=1500, seed=0):
    return np.random.default_rng(seed).uniform(low, high, size)


@pytest.fixture(scope="session")
def worst():
    return largest_error


@pytest.fixture(scope="session")
def spread():
    return uniform


@pytest.fixture(scope="session")
def sizes():
    """Of all magnitudes from 2^low to 2^high."""
    return lambda low, high, size=1500, seed=1: 2.0 ** uniform(low, high, size, seed)
