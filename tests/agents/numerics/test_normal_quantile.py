"""Quantiles against scipy's logarithm of the normal distribution function, in all three regions."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr

from agents.numerics.normal_quantile import quantile_of_tail
from banditgym.compiled import compiled


@compiled
def _quantile(level):
    return quantile_of_tail(level)


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.3, 1.43, 1.4395, 1.4396, 2.0, 5.0, 6.66, 6.67, 30.0])
def test_the_tail_above_a_quantile_has_the_given_logarithm(z):
    """A relative error e of z moves the logarithm by about e z (z + 1)."""
    level = float(-log_ndtr(-z))
    assert abs(_quantile(level) - z) <= 4e-15 * (1.0 + z)


def test_quantiles_ascend_across_the_borders_of_regions():
    for border in (-math.log(0.075), 25.0):
        levels = border + np.linspace(-1e-9, 1e-9, 21)
        found = [_quantile(level) for level in levels]
        assert (np.diff(found) > 0).all()
