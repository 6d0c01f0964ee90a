"""The radius around a sketched estimate against a number worked out by hand."""

import math

import numpy as np

from agents.parts.confidence import self_normalized, sketched

GIVEN = {"ridge": 4.0, "delta": math.exp(-2), "noise_std": 2.0, "param_norm": 3.0}


def test_by_hand():
    """ridge 4, S 3, R 2, delta exp(-2), d 5, log-det 1, shrinkage 4 (e - 1), so that 1 + rho/ridge
    = e: 2 sqrt(e (4 + 1 + 5)) + 2 * 3 * e."""
    got = sketched(np.array([1.0]), np.array([4 * (math.e - 1)]), dim=5, **GIVEN)
    np.testing.assert_allclose(got, [2 * math.sqrt(10 * math.e) + 6 * math.e], rtol=1e-15)


def test_without_shrinkage_it_is_the_radius_of_the_regression():
    log_det = np.array([0.0, 5.0, 12.0])
    np.testing.assert_array_equal(
        sketched(log_det, np.zeros(3), dim=7, **GIVEN), self_normalized(log_det, **GIVEN)
    )
