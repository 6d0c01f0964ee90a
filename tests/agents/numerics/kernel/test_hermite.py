"""Nodes and weights of Gauss and Hermite against scipy's and against the moments they are for."""

import mpmath
import numpy as np
import pytest
from scipy.special import roots_hermite

from agents.numerics.kernel.hermite import nodes_and_weights


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 16, 17, 64, 150])
def test_they_are_scipys(m):
    """A node errs by eps of its size or so; a weight by that times the slope of its logarithm, of
    the order of m: both, here and there."""
    nodes, weights = nodes_and_weights(m)
    expected, of_expected = roots_hermite(m)
    np.testing.assert_allclose(nodes, expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(weights, of_expected / np.sqrt(np.pi), rtol=1e-13 * (1 + m))


@pytest.mark.parametrize("m", [1, 2, 5, 150, 301, 1000])
def test_they_are_symmetric_and_integrate_polynomials(m):
    """E x² = 1/2, E x⁴ = 3/4 and E x⁶ = 15/8 wherever 2 m - 1 reaches; terms are all positive."""
    nodes, weights = nodes_and_weights(m)
    np.testing.assert_array_equal(nodes, -nodes[::-1])
    np.testing.assert_array_equal(weights, weights[::-1])
    assert (np.diff(nodes) > 0).all()
    assert (weights >= 0).all()
    if m % 2:
        assert np.copysign(1.0, nodes[m // 2]) == 1.0
    for power, moment in ((0, 1.0), (2, 1 / 2), (4, 3 / 4), (6, 15 / 8)):
        if power <= 2 * m - 1:
            assert (weights * nodes**power).sum() == pytest.approx(moment, rel=1e-13 + m * 1e-15)


@pytest.mark.parametrize("m", [301, 400])
def test_far_out_they_are_those_of_thirty_digits(m):
    """Where polynomials reach 1e75, from which on they are scaled, and 1e160. A weight errs as
    above."""
    nodes, weights = nodes_and_weights(m)
    far = np.flatnonzero(weights > 1e-300)[-1]
    assert nodes[far] > 23
    with mpmath.workdps(30):
        for j in (far, far - 7, *np.searchsorted(nodes, np.arange(18.0, 20.5, 0.25))):
            x, before, last, square = mpmath.mpf(nodes[j]), 0, mpmath.mpf(1), 0
            for k in range(m):
                square += last**2
                following = x * last - mpmath.sqrt(mpmath.mpf(k) / 2) * before
                before, last = last, following / mpmath.sqrt(mpmath.mpf(k + 1) / 2)
            assert weights[j] * float(square) == pytest.approx(1.0, rel=1e-13 * m)
            step = last / (mpmath.sqrt(2 * m) * before)  # of Newton's method
            assert abs(float(step)) <= 4e-15 * nodes[j]


def test_weights_far_out_are_nothing():
    """exp(-x²) at the outermost of 1000 nodes, 44.2, is 1e-849."""
    nodes, weights = nodes_and_weights(1000)
    assert nodes[-1] == pytest.approx(44.2091525, abs=1e-6)  # what scipy has
    assert weights[-1] == 0.0
    assert (weights[np.abs(nodes) < 26] > 0).all()
