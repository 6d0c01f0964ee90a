r"""Intervals for the value of a policy: normal, bootstrap, and empirical Bernstein.

- ``normal``: the estimate ± z standard errors, where the standard error of T terms is
  :math:`\sqrt{\sum_t (\mathrm{term}_t - \hat V)^2} / T`.
- ``bootstrap``: quantiles of the estimates of `RESAMPLES` resamples of the rounds. The rounds must
  be exchangeable, which those of an adaptive agent are not.
- ``bernstein``: for n independent terms in [a, b] with the sample variance S, the mean is off by
  more than :math:`\sqrt{2 S \ln(2/\delta) / n} + 7 (b - a) \ln(2/\delta) / (3 (n - 1))` to one side
  with probability at most δ (A. Maurer and M. Pontil. Empirical Bernstein Bounds and Sample
  Variance Penalization. COLT 2009); δ is (1 - level) / 2 here. It holds at every n. The paper
  itself could not be read: the bound was read in others' notes, and in the code of ``obp``.
"""

from statistics import NormalDist

import numpy as np

from leaderboards.ope.estimators import Contributions
from leaderboards.ope.logged_rounds import Rounds

INTERVALS = ("normal", "bootstrap", "bernstein")
RESAMPLES = 1000
# Means of terms whose range is known; those of the others are ratios of two means.
BOUNDED = ("direct", "ips", "dr")

Limits = tuple[float, float]


def standard_error(contributions: Contributions) -> float:
    """The standard error of the mean of the terms."""
    spread = contributions.terms - contributions.value
    return float(np.sqrt((spread**2).sum()) / len(spread))


def normal(value: float, error: float, level: float) -> Limits:
    """The estimate ± z standard errors."""
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return value - half, value + half


def bootstrap(contributions: Contributions, level: float, seed: int) -> Limits:
    """The percentile interval of resampled rounds."""
    columns = contributions.columns
    assert columns is not None  # the caller checks it
    rng = np.random.default_rng(seed)
    values = np.empty(RESAMPLES)
    for one in range(RESAMPLES):
        drawn = rng.integers(columns.shape[1], size=columns.shape[1])
        base, numerator, denominator = columns[:, drawn].mean(axis=1)
        # A resample without a weight has no estimate, and is left out.
        values[one] = base + numerator / denominator if denominator else np.nan
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan, np.nan
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bernstein(contributions: Contributions, level: float, term_range: Limits) -> Limits:
    """The empirical Bernstein interval of terms in a range."""
    terms, (low, high) = contributions.terms, term_range
    n = len(terms)
    if n < 2:
        return low, high
    log = np.log(4 / (1 - level))
    half = np.sqrt(2 * terms.var(ddof=1) * log / n) + 7 * (high - low) * log / (3 * (n - 1))
    return float(contributions.value - half), float(contributions.value + half)


def term_range(
    rounds: Rounds, estimator: str, clip: float | None, reward_range: Limits | None
) -> Limits:
    """The range of an estimator's terms, given that of rewards; ValueErrors say what is missing.

    Weights are bounded by ``clip``, or else by the largest that any action has in any round.
    """
    if reward_range is None:
        raise ValueError("reward_range is missing: bernstein needs the lowest and highest reward")
    low, high = map(float, reward_range)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"reward_range is {reward_range}: give (lowest, highest), finite")
    for name, array in (("rewards", rounds.rewards), ("predictions", rounds.predictions)):
        if array is None or (name == "predictions" and estimator == "ips"):
            continue
        if not (array.min() >= low and array.max() <= high):
            raise ValueError(f"{name} leave reward_range {reward_range}: widen it, or clip them")
    if estimator == "direct":
        return low, high
    largest = clip
    if largest is None:
        if rounds.all_propensities is None:
            raise ValueError(
                "bernstein needs a bound on weights: give clip, or the propensities of all actions"
            )
        possible = rounds.all_propensities > 0
        largest = (rounds.policy[possible] / rounds.all_propensities[possible]).max()
    if estimator == "ips":
        return min(0.0, low * largest), max(0.0, high * largest)
    return low - largest * (high - low), high + largest * (high - low)
