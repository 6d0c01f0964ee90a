"""The probability that a sample is the largest, against integrals by scipy."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from agents.numerics.largest_sample import largest_beta, largest_normal

RNG = np.random.default_rng(7)
LEVELS = [1e-14, 1e-9, 1e-4, 0.02, 0.2, 0.5, 0.8, 0.98, 1 - 1e-4, 1 - 1e-9, 1 - 1e-14]


def is_largest(laws):
    """By the definition: the integral of a density times the others' distribution functions."""
    cuts = np.unique(np.concatenate([law.ppf(LEVELS) for law in laws]))

    def one(k):
        others = [law for j, law in enumerate(laws) if j != k]

        def integrand(x):
            return laws[k].pdf(x) * np.prod([law.cdf(x) for law in others], axis=0)

        return sum(integrate.fixed_quad(integrand, *ab, n=60)[0] for ab in itertools.pairwise(cuts))

    return np.array([one(k) for k in range(len(laws))])


def everywhere(array):
    return np.ones(array.shape, bool)


@pytest.mark.parametrize("scale", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_normal_samples(n_arms, scale):
    """With deviations that are equal, and that differ by orders of magnitude."""
    mean = RNG.standard_normal((4, n_arms))
    deviation = np.exp(scale * RNG.standard_normal((4, n_arms)))
    p = largest_normal(mean, deviation, everywhere(mean))
    for i in range(4):
        expected = is_largest([stats.norm(*law) for law in zip(mean[i], deviation[i], strict=True)])
        np.testing.assert_allclose(p[i], expected, atol=1e-8)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 1, 1], [1, 1, 1]),
        ([1, 1, 4], [1, 300, 1]),
        ([1, 3, 90], [2000, 1500, 30_000]),
        ([700, 1, 650, 690], [300, 2, 350, 310]),
        ([1.3, 2.7], [4.1, 1.0]),
        ([5e5, 5.003e5], [5e5, 5e5]),
    ],
)
def test_samples_of_beta_distributions(a, b):
    a, b = np.array([a], float), np.array([b], float)
    p = largest_beta(a, b, everywhere(a))[0]
    expected = is_largest([stats.beta(*law) for law in zip(a[0], b[0], strict=True)])
    np.testing.assert_allclose(p, expected, atol=1e-8)


def test_small_probabilities_have_small_errors():
    mean, deviation = np.array([[0.0, 5.0, 7.0]]), np.array([[1.0, 0.5, 1.0]])
    p = largest_normal(mean, deviation, everywhere(mean))[0]
    of_two = stats.norm.sf(2.0 / np.hypot(0.5, 1.0))  # the first arm is almost never the largest
    assert p[0] < 1e-6
    np.testing.assert_allclose(p[1], of_two, rtol=1e-5)
    two = largest_normal(mean[:, ::2], deviation[:, ::2], np.ones((1, 2), bool))[0]
    np.testing.assert_allclose(two[0], stats.norm.sf(7.0 / np.sqrt(2.0)), rtol=1e-9)


def test_arms_that_are_not_there_are_left_out():
    mean, deviation = RNG.standard_normal((3, 4)), 0.1 + RNG.random((3, 4))
    mask = np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]], bool)
    mean[:, 1] += 100.0
    p = largest_normal(mean, deviation, mask)
    assert (p[~mask] == 0).all()
    for i in range(3):
        there = mask[i]
        own = mean[i : i + 1, there], deviation[i : i + 1, there]
        np.testing.assert_allclose(p[i, there], largest_normal(*own, everywhere(own[0]))[0])
    a, b = 1.0 + RNG.integers(0, 9, (2, 3, 4))
    assert (largest_beta(a, b, mask)[~mask] == 0).all()


def test_samples_without_deviation():
    """The largest of them, the first in a tie, is one that the others must exceed."""
    mean = np.array([[0.0, 1.0, 1.0, 0.5], [3.0, 1.0, 1.0, 0.5], [0.0, np.inf, np.inf, 9.0]])
    deviation = np.array([[2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
    p = largest_normal(mean, deviation, everywhere(mean))
    below = stats.norm.cdf(1.0 / 2.0) * stats.norm.cdf(0.5)
    np.testing.assert_allclose(p[0, 1], below, atol=1e-12)
    exceeds = integrate.quad(lambda x: stats.norm.pdf(x, 0, 2) * stats.norm.cdf(x, 0.5), 1, 30)[0]
    np.testing.assert_allclose(p[0, 0], exceeds, atol=1e-8)
    assert p[0, 2] == 0
    np.testing.assert_array_equal(p[1:], [[1, 0, 0, 0], [0, 1, 0, 0]])


def test_a_replicate_does_not_depend_on_its_neighbours():
    mean, deviation = RNG.standard_normal((5, 3)), RNG.random((5, 3))
    p = largest_normal(mean, deviation, everywhere(mean))
    one = largest_normal(mean[2:3], deviation[2:3], np.ones((1, 3), bool))
    np.testing.assert_array_equal(p[2:3], one)
