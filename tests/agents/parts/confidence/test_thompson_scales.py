"""Scales of Thompson sampling against numbers worked out by hand."""

import math

import numpy as np

from agents.parts.confidence import linear_thompson_scale, thompson_scale


def test_linear_thompson_scale():
    """d 4, R 0.5, t / delta = e^4: 0.5 * sqrt(9 * 4 * 4) = 6."""
    delta = 0.5
    got = linear_thompson_scale(np.array([delta * math.exp(4)]), dim=4, delta=delta, noise_std=0.5)
    np.testing.assert_allclose(got, [6.0], rtol=1e-14)
    one = linear_thompson_scale(np.array([1]), dim=1, delta=0.1, noise_std=1.0)
    np.testing.assert_allclose(one, [math.sqrt(9 * math.log(10))], rtol=1e-15)


def test_thompson_scale():
    """delta 2 e^-2, log-determinant 3: 6 + 2 sqrt(2 (3/2 + 1 + 2))."""
    known = {"ridge": 4.0, "delta": 2 * math.exp(-2), "noise_std": 2.0, "param_norm": 3.0}
    got = thompson_scale(np.array([3.0, 0.0]), **known)
    np.testing.assert_allclose(got, [12, 6 + 2 * math.sqrt(6)], rtol=1e-15)
