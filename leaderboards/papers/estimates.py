"""Numbers of claims with their 95 % intervals: the seeds are resampled, never the rounds."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from leaderboards.papers.claim import Sample
from leaderboards.rank import interval_estimates, scores_and_ranks
from leaderboards.rank.interval_estimates import LEVEL, Estimate


def plain(value: float) -> Estimate:
    """A number without an interval."""
    return Estimate(*map(np.asarray, (value, np.nan, np.nan)))


def exact(value: float) -> Estimate:
    """A number that is known exactly: its interval is itself."""
    return Estimate(*map(np.asarray, (value, value, value)))


def mean(values: np.ndarray) -> Estimate:
    """Mean of values (n,), by Student's t."""
    return interval_estimates.mean_interval(values)


def median(values: np.ndarray) -> Estimate:
    """Median of values (n,), by the bootstrap."""
    return scores_and_ranks.stratified_bootstrap_interval(
        np.asarray(values)[:, None], lambda scores: np.median(scores[..., 0], axis=-1)
    )


def ratio_of_means(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Mean of ``first`` (n,) over that of ``second`` on the same seeds, by the bootstrap."""
    return scores_and_ranks.stratified_bootstrap_interval(
        np.stack([first, second], axis=-1),
        lambda scores: scores[..., 0].mean(axis=-1) / scores[..., 1].mean(axis=-1),
    )


def ratio_at_end(sample: Sample, first: str, second: str) -> Estimate:
    """``ratio_of_means`` of two measures at the last round."""
    return ratio_of_means(sample.at_end(first), sample.at_end(second))


def spread(values: np.ndarray, of: Callable[..., np.ndarray] = np.median) -> Estimate:
    """Largest over smallest of the columns' medians of values (n, m), by the bootstrap.

    ``of`` replaces the median by another statistic, such as ``np.mean``.
    """

    def largest_over_smallest(scores):
        each = of(scores, axis=-2)
        return each.max(axis=-1) / each.min(axis=-1)

    return scores_and_ranks.stratified_bootstrap_interval(values, largest_over_smallest)


def share(events: ArrayLike) -> Estimate:
    """Share of events (n,) that happen, with the interval of Clopper and Pearson."""
    from scipy import stats  # takes most of a second to import

    events = np.asarray(events)
    found = stats.binomtest(int(np.count_nonzero(events)), len(events))
    limits = found.proportion_ci(LEVEL, method="exact")
    return Estimate(*map(np.asarray, (found.statistic, limits.low, limits.high)))


def exponent(
    rounds: np.ndarray,
    regret: np.ndarray,
    first: float,
    last: float,
    of: Callable[..., np.ndarray] = np.mean,
) -> Estimate:
    """Growth exponent: the slope of log mean regret against log t, by least squares.

    NaN if the mean regret (n, c) is not positive at all rounds of ``first .. last``. ``of``
    replaces the mean by another statistic, such as ``np.median``. ``rounds`` (c,) may be any
    quantity that the regret, or another measure, grows with.
    """
    chosen = (rounds >= first) & (rounds <= last)
    steps = np.log(rounds[chosen])
    steps = steps - steps.mean()
    steps = steps / (steps @ steps)

    def slope(scores):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log(of(scores, axis=-2)) @ steps

    return scores_and_ranks.stratified_bootstrap_interval(regret[:, chosen], slope)


def late_exponent(sample: Sample, name: str, decades: int = 1) -> Estimate:
    """Growth exponent of a measure's mean over the last decades of rounds."""
    last = int(sample.rounds[-1])
    return exponent(sample.rounds, sample.measures[name], last // 10**decades, last)


def growth_by_decades(sample: Sample, name: str) -> Estimate:
    """Growth of a measure's mean over the last decade, divided by that over the decade before.

    1 if regret grows as log t, and about 10^p if it grows as t^p.
    """
    last = int(sample.rounds[-1])
    places = [sample.place(t) for t in (last // 100, last // 10, last)]

    def growth(scores):
        early, middle, late = np.moveaxis(scores.mean(axis=-2), -1, 0)
        return (late - middle) / (middle - early)

    return scores_and_ranks.stratified_bootstrap_interval(sample.measures[name][:, places], growth)
