"""Numbers of claims against their definitions, on data with known answers."""

import numpy as np
import pytest
from scipy import stats

from leaderboards.papers import estimates
from leaderboards.papers.claim import Sample

RNG = np.random.default_rng(5)
FIRST = RNG.gamma(2.0, size=40)
SECOND = FIRST * RNG.uniform(1.5, 2.5, size=40)


def ordered(estimate):
    assert estimate.low < estimate.value < estimate.high
    return float(estimate.value)


def test_values_are_the_definitions():
    columns = np.stack([FIRST, 3 * SECOND, SECOND], axis=1)
    assert ordered(estimates.mean(FIRST)) == pytest.approx(FIRST.mean())
    assert ordered(estimates.median(FIRST)) == pytest.approx(np.median(FIRST))
    of_means = ordered(estimates.ratio_of_means(FIRST, SECOND))
    assert of_means == pytest.approx(FIRST.mean() / SECOND.mean())
    spread = ordered(estimates.spread(columns))
    assert spread == pytest.approx(3 * np.median(SECOND) / np.median(FIRST))
    spread = ordered(estimates.spread(columns, np.mean))
    assert spread == pytest.approx(3 * SECOND.mean() / FIRST.mean())


def test_ratios_are_paired():
    exact = estimates.ratio_of_means(FIRST, 2 * FIRST)
    assert [float(x) for x in exact] == pytest.approx([0.5] * 3)


def test_the_share_is_clopper_and_pearsons():
    found = estimates.share(np.arange(50) < 3)
    limits = stats.beta.ppf([0.025, 0.975], [3, 4], [48, 47])  # their closed form
    assert [float(x) for x in found] == pytest.approx([0.06, *limits])
    none = estimates.share(np.zeros(50, bool))
    assert (none.value, none.low) == (0, 0)
    assert float(none.high) == pytest.approx(1 - 0.025 ** (1 / 50))


@pytest.mark.parametrize("power", [0.0, 0.3, 1.0])
def test_exponent_of_a_power(power):
    rounds = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
    regret = FIRST[:, None] * rounds**power
    regret[:, rounds < 10] = 7.0  # outside of the range
    found = estimates.exponent(rounds, regret, 10, 1000)
    assert [float(x) for x in found] == pytest.approx([power] * 3, abs=1e-12)


def test_exponent_is_that_of_the_mean_and_its_interval_comes_from_the_seeds():
    rounds = np.array([10, 20, 50, 100])
    powers = RNG.uniform(0.2, 0.8, size=30)
    regret = rounds ** powers[:, None]
    slope = np.polyfit(np.log(rounds), np.log(regret.mean(axis=0)), 1)[0]
    assert ordered(estimates.exponent(rounds, regret, 10, 100)) == pytest.approx(slope)


def test_exponent_is_unknown_where_mean_regret_is_not_positive():
    rounds = np.array([10, 20, 50, 100])
    regret = np.tile([1.0, -1.0, 2.0, 3.0], (5, 1))
    assert np.isnan(estimates.exponent(rounds, regret, 10, 100).low)


def test_growth_by_decades():
    rounds = np.array([1, 10, 50, 100, 1000])
    logarithmic = 5 + FIRST[:, None] * np.log(rounds)
    root = FIRST[:, None] * np.sqrt(rounds) - 0.5
    sample = Sample(rounds, {"log": logarithmic, "root": root})
    found = estimates.growth_by_decades(sample, "log")
    assert [float(x) for x in found] == pytest.approx([1] * 3)
    found = estimates.growth_by_decades(sample, "root")
    assert float(found.value) == pytest.approx(10**0.5)


def test_estimates_at_the_end_of_a_sample():
    rounds = np.array([1, 10, 100, 1000])
    measures = {"first": FIRST[:, None] * rounds, "second": SECOND[:, None] * rounds**0.5}
    sample = Sample(rounds, measures)
    ratio = estimates.ratio_at_end(sample, "first", "second")
    expected = FIRST.mean() * 1000 / (SECOND.mean() * 1000**0.5)
    assert ordered(ratio) == pytest.approx(expected)
    assert float(estimates.late_exponent(sample, "first").value) == pytest.approx(1)
    assert float(estimates.late_exponent(sample, "second", decades=2).value) == pytest.approx(0.5)
    of_medians = estimates.exponent(rounds, measures["first"], 1, 1000, np.median)
    assert float(of_medians.value) == pytest.approx(1)


def test_a_plain_number_has_no_interval():
    number = estimates.plain(3.5)
    assert float(number.value) == 3.5
    assert np.isnan(number.low)
    assert np.isnan(number.high)


def test_a_known_number_is_its_own_interval():
    assert [float(x) for x in estimates.exact(0.3)] == [0.3, 0.3, 0.3]
