"""The streaming update against numpy's minimisation, at scores of every size."""

import numpy as np
import pytest

from agents.numerics.logistic.streaming import (
    absorb_logistic,
    absorb_within_ball,
    read_sample,
    updated_score,
)
from agents.numerics.ridge.factor import initial
from agents.numerics.ridge.factor_contents import multiply, solve
from banditgym.compiled import compiled
from tests.agents.definitions.logistic.ada_ofu_ecolog import loss, minimiser, sigma


@compiled
def score_after(score, variance, outcome, times):
    return updated_score(score, variance, outcome, times)


@compiled
def learn(upper, pivots, moment, x, reward, scratch):
    absorb_logistic(upper, pivots, moment, x, reward, scratch)


@compiled
def learn_within(factor, x, reward, radius, scratch):
    return absorb_within_ball(factor, x, reward, radius, scratch)


@compiled
def read(features, ridge, x):
    return read_sample(features, 1, 2, ridge, x)


@pytest.mark.parametrize(
    ("sample", "read_whole"),
    [([9.0], True), ([9.1], False), ([6.3, 6.3], True), ([6.4, 6.4], False), ([np.nan], False)],
)
def test_a_sample_is_read_unless_it_is_too_long(sample, read_whole):
    """With a ridge of 8.1e-24 the square of its length may be 81."""
    features, x = np.full((3, len(sample), 4), 99.0), np.empty(len(sample))
    features[1, :, 2] = sample
    assert read(features, 8.1e-24, x) == read_whole
    np.testing.assert_array_equal(x, sample)


@pytest.mark.parametrize("score", [0.0, 3.0, -40.0, 700.0, -700.0])
@pytest.mark.parametrize("variance", [1e-9, 1.0, 1e6])
@pytest.mark.parametrize(("outcome", "times"), [(0.0, 1.0), (1.0, 1.0), (0.3, 1.0), (1.0, 2.0)])
def test_the_updated_score_is_the_root(score, variance, outcome, times):
    z = score_after(score, variance, outcome, times)
    with np.errstate(over="ignore"):
        value = z - score - variance * (outcome - times * sigma(z))
        steep = 1 + variance * times * sigma(z) * sigma(-z)
    assert abs(value) <= 1e-12 * steep * (1 + abs(z) + abs(score)) + 1e-15 * variance


def made(dim, rng):
    """A factor of a random V, with its theta, of one replicate."""
    upper, pivots, moment = (part[0] for part in initial(1, dim, 0.5))
    upper += np.triu(rng.standard_normal((dim, dim)), 1) / dim
    pivots[0] = rng.uniform(0.5, 4.0, dim)
    pivots[1] = 1 / pivots[0]
    moment[:] = rng.standard_normal(dim)
    return upper, pivots, moment


def contents(upper, pivots, moment):
    return multiply(upper[None], pivots[None])[0], solve(upper[None], moment[None])[0]


@pytest.mark.parametrize("dim", [1, 2, 7, 30])
@pytest.mark.parametrize("reward", [0.0, 1.0, 0.4])
def test_a_sample_moves_the_estimate_to_the_minimum(dim, reward):
    rng = np.random.default_rng(dim)
    factor = made(dim, rng)
    gram, theta = contents(*factor)
    x = rng.standard_normal(dim)
    learn(*factor, x.copy(), reward, (np.empty(dim), np.empty(dim)))
    expected = minimiser(theta, gram, x, [reward], np.inf)
    p = sigma(x @ expected)
    got_gram, got = contents(*factor)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(got_gram, gram + p * (1 - p) * np.outer(x, x), rtol=1e-10)


@pytest.mark.parametrize("dim", [1, 2, 7, 30])
@pytest.mark.parametrize("share", [0.3, 0.999, 1.0, 1.5])  # of the norm without a bound
def test_in_a_ball_it_is_the_constrained_minimum(dim, share):
    rng = np.random.default_rng(dim)
    factor = made(dim, rng)
    gram, theta = contents(*factor)
    x = rng.standard_normal(dim)
    theta *= 0.2 / np.linalg.norm(theta)
    factor[2][:] = factor[0] @ theta
    radius = max(0.2, share * np.linalg.norm(minimiser(theta, gram, x, [1.0], np.inf)))
    scratch = (np.empty((dim, dim)), np.empty((dim, dim))), np.empty((9, dim))
    more, by = learn_within(factor, x.copy(), 1.0, radius, scratch)
    expected = minimiser(theta, gram, x, [1.0], radius)
    bar = minimiser(expected, gram, x, [0.0, 1.0], radius)
    p = sigma(x @ expected)
    got_gram, got = contents(*factor)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got_gram, gram + p * (1 - p) * np.outer(x, x), rtol=1e-9)
    assert more == pytest.approx(loss(x @ bar, 1.0) - loss(x @ expected, 1.0), abs=1e-8)
    assert by == pytest.approx(np.sqrt((expected - bar) @ gram @ (expected - bar)), abs=1e-8)


@pytest.mark.parametrize("score", [800.0, -800.0])
def test_a_score_whose_slope_is_zero_changes_nothing(score):
    factor, reward = made(3, np.random.default_rng(0)), float(score > 0)
    gram, theta = contents(*factor)
    x = np.array([2.0, -1.0, 0.5])
    x *= score / (x @ theta)
    learn(*factor, x.copy(), reward, (np.empty(3), np.empty(3)))
    got_gram, got = contents(*factor)
    np.testing.assert_allclose(got_gram, gram, rtol=1e-14)
    np.testing.assert_allclose(got, theta, rtol=1e-12)


def test_two_opposed_rewards_may_move_the_estimate_to_the_sphere_too():
    """Where V is far from a multiple of I: of 18 draws, in more than two."""
    rng, on_sphere = np.random.default_rng(0), 0
    for draw in range(18):
        factor = made(3, rng)
        factor[1][0] = [0.5, 5.0, 50.0]
        factor[1][1] = 1 / factor[1][0]
        gram, theta = contents(*factor)
        theta *= 0.999 / np.linalg.norm(theta)
        factor[2][:] = factor[0] @ theta
        x, reward = 2 * rng.standard_normal(3), [0.0, 0.4, 1.0][draw % 3]
        scratch = (np.empty((3, 3)), np.empty((3, 3))), np.empty((9, 3))
        more, by = learn_within(factor, x.copy(), reward, 1.0, scratch)
        expected = minimiser(theta, gram, x, [reward], 1.0)
        bar = minimiser(expected, gram, x, [0.0, 1.0], 1.0)
        on_sphere += np.linalg.norm(bar) > 1 - 1e-9
        assert more == pytest.approx(loss(x @ bar, reward) - loss(x @ expected, reward), abs=1e-8)
        assert by == pytest.approx(np.sqrt((expected - bar) @ gram @ (expected - bar)), abs=1e-8)
    assert on_sphere > 2
