"""Radii of Gaussian processes against numbers worked out by hand."""

import math

import numpy as np

from agents.parts.confidence import released

# sqrt(ridge) F = 6, xi = 2, log(1 / delta) = 2
KNOWN = {"ridge": 4.0, "delta": math.exp(-2), "noise_std": 2.0, "param_norm": 3.0}


def test_released_radius():
    """s 7, t = e: 6 + 2 sqrt(7 + 2); before any data, and after one pull, 6 + 2 sqrt(2)."""
    got = released(np.array([7.0, 0.0, 5.0]), np.array([math.e, 0, 1]), **KNOWN)
    np.testing.assert_allclose(got, [12, 6 + 2 * math.sqrt(2), 6 + 2 * math.sqrt(2)], rtol=1e-15)
