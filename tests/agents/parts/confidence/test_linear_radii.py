"""Radii against numbers worked out by hand, and against each other."""

import math

import numpy as np
import pytest

from agents.parts.confidence import (
    discounted,
    forward_self_normalized,
    self_normalized,
    self_normalized_closed,
    sketched,
    sliding_window,
)


def test_log_determinant_radius():
    """ridge 4, S 3, R 2, delta exp(-2), log-det ln e^5 = 5: 2 * 3 + 2 * sqrt(4 + 5) = 12."""
    got = self_normalized(
        np.array([5.0, 0.0]), ridge=4.0, delta=math.exp(-2), noise_std=2.0, param_norm=3.0
    )
    np.testing.assert_allclose(got, [12.0, 10.0], rtol=1e-15)


def test_closed_radius():
    """d 2, ridge 0.25, L 0.5, t such that 1 + t L^2 / (ridge d) = 1 + t / 2; S 6, R 2.

    t = 6: 3 + 2 sqrt(4 + 2 ln 4); t = 0: 3 + 2 * 2.
    """
    got = self_normalized_closed(
        np.array([6, 0]), dim=2, ridge=0.25, delta=math.exp(-2), noise_std=2.0, param_norm=6.0,
        feature_norm=0.5,
    )  # fmt: skip
    np.testing.assert_allclose(got, [3 + 2 * math.sqrt(4 + 2 * math.log(4)), 7.0], rtol=1e-15)


def test_sketched_radius():
    """d 2, ridge 4, S 3, R 2, delta exp(-2), log-det 5, rho 12, so that 1 + rho / ridge is 4:
    2 sqrt(4) sqrt(4 + 5 + 2 ln 4) + 2 * 3 * 4; without shrinkage the radius above, 12."""
    got = sketched(
        np.array([5.0, 5.0]), np.array([12.0, 0.0]), dim=2, ridge=4.0, delta=math.exp(-2),
        noise_std=2.0, param_norm=3.0,
    )  # fmt: skip
    expected = [4 * math.sqrt(9 + 2 * math.log(4)) + 24, 12.0]
    np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_forward_radius():
    """d 2, ridge 4, S 3, R 2, delta exp(-2). Round 3; arms of length 2 and 4, longest so far 3.

    (2 + 2) 3 + 2 sqrt(4 + 2 ln(1 + 27/8)) and (2 + 4) 3 + 2 sqrt(4 + 2 ln(1 + 48/8)); with variance
    1/4 the biases 2 3 and 4 3 count half.
    """
    known = {"dim": 2, "ridge": 4.0, "delta": math.exp(-2), "noise_std": 2.0, "param_norm": 3.0}
    given, bias = (np.array([3]), np.array([[3.0, 4.0]])), np.array([[6.0, 12.0]])
    noise = [2 * math.sqrt(4 + 2 * math.log(1 + 27 / 8)), 2 * math.sqrt(4 + 2 * math.log(7))]
    got = forward_self_normalized(*given, bias, **known)
    np.testing.assert_allclose(got, [[12 + noise[0], 18 + noise[1]]], rtol=1e-15)
    tight = forward_self_normalized(*given, bias / 2, **known)
    np.testing.assert_allclose(tight, [[9 + noise[0], 12 + noise[1]]], rtol=1e-15)
    # what was given stays as it was
    np.testing.assert_array_equal(given[1], [[3.0, 4.0]])
    np.testing.assert_array_equal(bias, [[6.0, 12.0]])


@pytest.mark.parametrize("discount", [0.5, 0.99, 1 - 1e-12, 1.0])
def test_discounted_radius(discount):
    """The fraction is the sum of discount^(2 s), s below t, without cancellation near 1."""
    known = {"dim": 2, "ridge": 0.25, "delta": math.exp(-2), "noise_std": 2.0, "param_norm": 6.0}
    got = discounted(np.array([0, 6]), discount=discount, feature_norm=0.5, **known)
    effective = sum(discount ** (2 * s) for s in range(6))
    expected = [7.0, 3 + 2 * math.sqrt(4 + 2 * math.log(1 + effective / 2))]
    np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_sliding_window_radius():
    """d 2, ridge 0.25, S 6, R 2, L 0.5, W 7: 3 + 2 sqrt(2 ln(8 e^2))."""
    got = sliding_window(
        window=7, dim=2, ridge=0.25, delta=math.exp(-2), noise_std=2.0, param_norm=6.0,
        feature_norm=0.5,
    )  # fmt: skip
    assert got == pytest.approx(3 + 2 * math.sqrt(2 * (math.log(8) + 2)), rel=1e-15)


@pytest.mark.parametrize("dim", [1, 3, 8])
@pytest.mark.parametrize("ridge", [0.01, 1.0, 5.0])
def test_the_closed_radius_bounds_the_other_at_every_round(dim, ridge):
    """The inequality of arithmetic and geometric means, equal in one dimension at full length."""
    rng = np.random.default_rng(dim)
    gram = ridge * np.eye(dim)
    known = {"ridge": ridge, "delta": 0.1, "noise_std": 0.3, "param_norm": 1.0}
    for t in range(60):
        log_det = np.linalg.slogdet(gram / ridge)[1]
        sharp = self_normalized(np.array([log_det]), **known)
        closed = self_normalized_closed(np.array([t]), dim=dim, feature_norm=1.5, **known)
        assert closed >= sharp - 1e-12
        if dim == 1:
            np.testing.assert_allclose(closed, sharp, rtol=1e-12)
        x = rng.standard_normal(dim)
        x *= 1.5 / np.linalg.norm(x)
        gram += np.outer(x, x)
