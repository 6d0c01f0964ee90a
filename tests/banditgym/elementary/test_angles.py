"""Sines and cosines against numbers of many digits."""

import math

import mpmath
import numpy as np
import pytest

from banditgym import elementary
from banditgym.compiled import compiled
from banditgym.elementary import angles


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_errors_stay_below_a_unit(name, worst, spread, sizes):
    x = np.concatenate(
        [
            spread(-7, 7),
            spread(-angles.FAR, angles.FAR),
            np.arange(-600, 600) * (math.pi / 2),  # nearly 0, so that many digits cancel
            np.arange(1, 1000) * 1048.0 * (math.pi / 2),
            sizes(-60, 0),
            spread(angles.FAR, 2 * angles.FAR),
            -sizes(20.7, 1024),
            # The float64 nearest to an odd number of quarter turns; libraries err here.
            [6381956970095103 * 2.0**797],
        ]
    )
    error, where = worst(getattr(elementary, f"each_{name}")(x), getattr(mpmath, name), x)
    assert error < 1.0, where


def test_two_over_pi_is_given_to_its_last_word():
    with mpmath.workprec(1300):
        digits = int(mpmath.floor(2 / mpmath.pi * mpmath.mpf(2) ** (32 * 37)))
    words = [0, 0, *((digits >> (32 * (36 - i))) & 0xFFFFFFFF for i in range(37))]
    assert angles._TWO_OVER_PI.tolist() == words


def test_sine_cosine_says_by_nan_that_an_angle_is_too_large():
    @compiled
    def both(x):
        return elementary.sine_cosine(x)

    assert all(math.isnan(value) for value in both(2.0 * angles.FAR))
    assert both(1.0) == (elementary.each_sin(1.0), elementary.each_cos(1.0))
