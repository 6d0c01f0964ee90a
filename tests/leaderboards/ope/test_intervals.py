"""The three intervals: their formulas, and that they cover."""

import re

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate
from leaderboards.ope.intervals import RESAMPLES, term_range
from leaderboards.ope.logged_rounds import checked

from .known_truth import VALUE, stationary_log


def test_the_normal_interval_is_196_standard_errors_to_each_side():
    found = evaluate(*stationary_log(1, 300))
    half = 1.959963984540054 * found.standard_error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    wide = evaluate(*stationary_log(1, 300), level=0.99)
    assert wide.high - wide.value == pytest.approx(2.5758293035489004 * found.standard_error)


@pytest.mark.parametrize("estimator", ["direct", "ips", "snips", "dr", "sndr"])
def test_the_bootstrap_estimates_resampled_logs(estimator):
    log, policy = stationary_log(2, 80)
    found = evaluate(log, policy, estimator=estimator, interval="bootstrap", level=0.9, seed=7)
    rng = np.random.default_rng(7)
    values = []
    for _ in range(RESAMPLES):
        rows = rng.integers(80, size=80)
        arrays = (log.actions, log.rewards, log.propensities, log.predictions)
        resampled = Log(*(np.asarray(one)[rows] for one in arrays))
        values.append(evaluate(resampled, policy[rows], estimator=estimator).value)
    expected = np.quantile(values, [0.05, 0.95])
    np.testing.assert_allclose([found.low, found.high], expected, rtol=0, atol=1e-12)
    other = evaluate(log, policy, estimator=estimator, interval="bootstrap", level=0.9, seed=8)
    assert (other.low, other.high) != (found.low, found.high)


def test_the_bootstrap_covers():
    """95 % of 60 logs of 300 rounds: 4 sqrt(0.95 0.05 / 60) = 0.113."""
    found = [
        evaluate(*stationary_log(seed, 300), estimator="snips", interval="bootstrap")
        for seed in range(60)
    ]
    assert abs(np.mean([one.low <= VALUE <= one.high for one in found]) - 0.95) < 0.113


@pytest.mark.parametrize(
    ("estimator", "clip", "width"),
    # Rewards in [-1, 2]. The largest possible weight is 0.9 / 0.2 = 4.5.
    [("direct", None, 3), ("ips", None, 13.5), ("ips", 2, 6), ("dr", None, 30), ("dr", 2, 15)],
)
def test_the_empirical_bernstein_interval(estimator, clip, width):
    log, policy = stationary_log(3, 500)
    found = evaluate(
        log, policy, estimator=estimator, clip=clip, interval="bernstein", reward_range=(-1, 2)
    )
    variance = found.standard_error**2 * 500**2 / 499  # of the terms
    log_term = np.log(2 / 0.025)
    half = (2 * variance * log_term / 500) ** 0.5 + 7 * width * log_term / (3 * 499)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


def test_the_empirical_bernstein_interval_covers_small_logs():
    """At least 95 % at every size: of 300 logs of 30 rounds, none of which a normal one could."""
    inside = []
    for seed in range(300):
        found = evaluate(*stationary_log(seed, 30), interval="bernstein", reward_range=(0, 1))
        inside.append(found.low <= VALUE <= found.high)
    assert np.mean(inside) > 0.95


@pytest.mark.parametrize(
    ("rewards", "limits"), [((0, 1), (0, 4.5)), ((-2, -1), (-9, 0)), ((1, 2), (0, 9))]
)
def test_terms_of_ips_have_0_in_their_range(rewards, limits):
    log, policy = stationary_log(3, 50)
    log = Log(log.actions, np.asarray(log.rewards) + rewards[0], log.propensities)
    assert term_range(checked(log, policy), "ips", None, rewards) == pytest.approx(limits)


@pytest.mark.parametrize(
    ("changes", "given", "message"),
    [
        ({}, {}, "reward_range is missing: bernstein needs"),
        ({}, {"reward_range": (0, np.inf)}, "give (lowest, highest), finite"),
        ({}, {"reward_range": (1, 0)}, "give (lowest, highest), finite"),
        ({}, {"reward_range": (0, 0.5)}, "rewards leave reward_range (0, 0.5): widen it"),
        ({"predictions": 5}, {"reward_range": (0, 1)}, "predictions leave reward_range (0, 1)"),
        ({"propensities": 0.4}, {"reward_range": (0, 1)}, "give clip, or the propensities of all"),
        ({}, {"reward_range": (0, 1), "estimator": "snips"}, "snips has no bounded terms"),
    ],
)
def test_what_the_empirical_bernstein_interval_lacks(changes, given, message):
    log, policy = stationary_log(3, 50)
    predictions = np.asarray(log.predictions) * changes.get("predictions", 1)
    propensities = log.propensities
    if "propensities" in changes:
        propensities = np.full(50, changes["propensities"])
    log = Log(log.actions, log.rewards, propensities, predictions)
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(log, policy, interval="bernstein", **given)
