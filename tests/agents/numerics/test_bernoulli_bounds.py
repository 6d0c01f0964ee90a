"""The bounds of all arms against an independent root search, at means 0 and 1 too."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from agents.numerics.bernoulli_bounds import bernoulli_bounds
from banditgym.compiled import compiled


@compiled
def bounds(mean, share):
    bound, scratch = np.empty_like(mean), np.empty_like(mean)
    bernoulli_bounds(mean, share, bound, scratch, np.empty(len(mean), np.bool_))
    return bound


@pytest.mark.parametrize("share", [1e-6, 1e-3, 0.1, 1.0, 9.0])
def test_a_bound_is_the_largest_mean_within_the_divergence(share):
    means = np.array([0.0, 1e-4, 0.1, 0.5, 0.9, 1 - 1e-4, 1.0])
    last = math.nextafter(1.0, 0.0)

    def excess(q, p):
        return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q)) - share

    expected = [last if excess(last, p) < 0 else brentq(excess, p, last, args=(p,)) for p in means]
    np.testing.assert_allclose(bounds(means, np.full(len(means), share)), expected, atol=1e-9)


def test_a_divergence_of_0_gives_the_mean():
    means = np.array([0.0, 0.3, 1.0])
    np.testing.assert_array_equal(bounds(means, np.zeros(3)), means)
