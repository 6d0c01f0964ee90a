"""Laws of arms against scipy, and the numbers that they refuse."""

import numpy as np
import pytest
from scipy import integrate, stats

from banditgym.envs.arm_laws import ClippedExponential, ClippedGaussian, NormalMeans, Samples

U = np.array([[0.0, 0.3], [0.999, 1 - 2**-53]])  # (m, n)


def mean_of(law, kink):
    """The mean of a law's draws, clipped to [0, 1]: the integral of P(draw > r) over it."""
    points = [kink] if 0 < kink < 1 else None
    return integrate.quad(law.sf, 0.0, 1.0, points=points, epsabs=1e-13, epsrel=1e-12)[0]


def test_means_of_clipped_exponential_rewards():
    scales = [1e-3, 0.2, 1.0, 4.0, 1e3]
    expected = [mean_of(stats.expon(scale=s), s) for s in scales]
    np.testing.assert_allclose(ClippedExponential().means(np.array([scales]))[0], expected, 1e-12)


def test_clipped_exponential_rewards_of_mean_0_and_of_huge_means():
    law, parameters = ClippedExponential(), np.array([[0.0, 1e-300, 1e300]] * 2)
    np.testing.assert_allclose(law.means(parameters), [[0.0, 0.0, 1.0]] * 2, atol=1e-299)
    rewards = law.rewards(parameters, U)
    assert rewards.shape == (2, 2, 3)
    np.testing.assert_allclose(rewards[..., :2], 0.0, atol=1e-298)
    np.testing.assert_array_equal(rewards[..., 2], [[0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("std", [1e-3, 0.1, 0.7, 3.0, 1e4])
def test_means_of_clipped_gaussian_rewards(std):
    """They are differences of numbers of the size of std, of which 16 digits are right."""
    centres = [-3.0, -0.1, 0.0, 0.4, 1.0, 1.2, 7.0]
    expected = [mean_of(stats.norm(m, std), m) for m in centres]
    got = ClippedGaussian(std).means(np.array([centres]))[0]
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=4e-15 * max(std, 1.0))


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_means_of_clipped_gaussian_rewards_are_continuous_where_the_series_ends(side):
    """The series serves up to 9 deviations, and means are those of no noise beyond."""
    centres = (0.5 + 0.5 * side) + 0.01 * side * np.array([8.5, 9 - 1e-9, 9.0, 9 + 1e-9, 9.5])
    got = ClippedGaussian(0.01).means(centres[None])[0]
    np.testing.assert_allclose(got, 0.5 + 0.5 * side, atol=1e-14)


def test_almost_no_noise_leaves_the_means():
    centres = np.array([[-2.0, 0.0, 0.3, 1.0, 2.5]])
    np.testing.assert_allclose(
        ClippedGaussian(1e-300).means(centres), [[0, 0, 0.3, 1, 1]], rtol=1e-15, atol=1e-299
    )


def test_clipped_gaussian_rewards_add_the_draw_and_stay_within_the_bounds():
    law, centres = ClippedGaussian(0.5), np.array([[0.25, -7.0, 7.0]] * 2)
    assert (law.noise.kind, law.noise.std, law.bounds) == ("gaussian", 0.5, (0.0, 1.0))
    draws = np.array([[0.0, 0.5], [1.0, -1.0]])
    np.testing.assert_array_equal(
        law.rewards(centres, draws),
        [[[0.25, 0.0, 1.0], [0.75, 0.0, 1.0]], [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]],
    )


def test_samples_are_drawn_evenly_from_first_to_last():
    law = Samples(np.array([[3.0, -7.0, 5.0], [0.1, 0.1, 0.1]]))
    assert law.bounds == (-7.0, 5.0)
    rows = np.array([[1, 0], [0, 1]])
    np.testing.assert_allclose(law.means(rows), [[0.1, 1 / 3], [1 / 3, 0.1]], 1e-15)
    draws = np.array([[0.0, 1 / 3], [0.34, 0.7], [1 - 2**-53, 0.99]])
    columns = np.array([[0, 1], [1, 2], [2, 2]])
    for t in range(3):
        for i in range(2):
            expected = law.values[rows[i], columns[t, i]]
            np.testing.assert_array_equal(law.rewards(rows, draws)[t, i], expected)


@pytest.mark.parametrize("columns", [1, 3, 5, 7, 10, 1000, 12345])
def test_the_largest_draw_is_the_last_sample(columns):
    law = Samples(np.arange(float(columns))[None])
    largest = np.array([[1 - 2**-53]])
    assert law.rewards(np.array([[0]]), largest) == columns - 1


def test_the_mean_of_samples_is_exact():
    assert Samples(np.array([[1e16, 1.0, -1e16, 3.0]])).means(np.array([[0]])) == 1.0


@pytest.mark.parametrize(
    ("law", "given", "message"),
    [
        (NormalMeans, {"mean": np.nan}, "the mean of means must be finite, got nan"),
        (NormalMeans, {"mean": np.inf}, "the mean of means must be finite, got inf"),
        (NormalMeans, {"mean": "x"}, "the mean of means must be"),
        (NormalMeans, {"std": -1.0}, "the std of means must be finite and >= 0, got -1.0"),
        (NormalMeans, {"std": np.inf}, "the std of means must be finite and >= 0, got inf"),
        (ClippedGaussian, {"std": 0.0}, "noise_std must be finite and > 0, got 0.0"),
        (ClippedGaussian, {"std": np.nan}, "noise_std must be finite and > 0, got nan"),
        (Samples, {"values": np.zeros(3)}, r"samples must be of shape \(K, m\), got \(3,\)"),
        (Samples, {"values": np.zeros((2, 0))}, r"samples must .*, got \(2, 0\)"),
        (Samples, {"values": np.zeros((0, 2))}, r"samples must .*, got \(0, 2\)"),
    ],
)
def test_refusals(law, given, message):
    with pytest.raises(ValueError, match=message):
        law(**given)


def test_means_may_all_be_the_same():
    assert NormalMeans(mean=2, std=0) == NormalMeans(mean=2.0, std=0.0)


@pytest.mark.parametrize("mean", [[1, 2], np.nan, np.inf, "1", None])
def test_the_mean_of_normal_means_is_one_finite_number(mean):
    with pytest.raises(ValueError, match="the mean of means must be"):
        NormalMeans(mean=mean)


def test_huge_gaussian_rewards_are_not_clipped():
    with pytest.raises(ValueError, match=r"noise_std of clipped rewards must be <= 1e\+09"):
        ClippedGaussian(1.1e9)
    found = ClippedGaussian(1e9).means(np.array([[-1e9, 0.0, 1e9]]))[0]
    # The share of draws above 1, and no more: 1e-9 of a standard deviation is clipped between.
    np.testing.assert_allclose(found, stats.norm.sf([1.0, 0.0, -1.0]), atol=1e-6)


def test_huge_samples_are_refused():
    with pytest.raises(ValueError, match=r"samples must lie in \[-1e300, 1e300\], got -1e\+308"):
        Samples(np.array([[0.0, 1.0], [0.5, -1e308]]))
