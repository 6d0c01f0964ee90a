"""Estimates with intervals: of means, proportions and ratios, and of bootstrap draws."""

from typing import NamedTuple

import numpy as np
import scipy  # whose parts are imported where they are first used

LEVEL = 0.95


EVERYWHERE = (-np.inf, np.inf)
Range = tuple[float | np.ndarray, float | np.ndarray]
"""The lowest and the highest possible value."""


class Estimate(NamedTuple):
    """A number, or an array of them, between the limits of its interval."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def percentile_interval(
    value: np.ndarray, draws: np.ndarray, *, n_seeds: int, level: float = LEVEL
) -> Estimate:
    r"""The interval between two quantiles of bootstrap draws (B, ...), around the value (...).

    The quantiles are those of the *expanded* percentile interval. With S seeds the spread of the
    draws is too small by the factor :math:`\sqrt{(S-1)/S}`, and the quantile for a mean is that of
    Student's t, not of the normal distribution. The tails are therefore cut at
    :math:`\Phi(-\sqrt{S/(S-1)}\, t_{S-1})` instead of (1 - level) / 2: with ten seeds, at 0.9 %
    instead of 2.5 %. With one seed every resample is the sample itself; a width of zero would be
    wrong, so the limits are NaN.

    References
    ----------
    T. Hesterberg. What Teachers Should Know About the Bootstrap. The American Statistician 69(4),
    2015, section 5.3.
    """
    value = np.asarray(value, float)
    if n_seeds < 2:
        return Estimate(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    tail = scipy.special.ndtr(-student(_quantile(level), n_seeds))
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return Estimate(value, low, high)


def seed_share(cells: np.ndarray) -> Estimate:
    r"""Mean of cells (..., S, M) in [0, 1] with an interval that allows for correlated tasks.

    Wilson's interval for :math:`n = p (1 - p) / \widehat{\mathrm{var}}(p)` trials, where the
    variance is estimated from the means of the seeds, and n is limited to S .. S M. It is S M if
    the tasks are independent, and S if all tasks agree on each seed or all are equal.
    """
    cells = complete(cells)
    n_seeds, n_tasks = cells.shape[-2:]
    share = cells.mean(axis=(-2, -1))
    n = np.full_like(share, n_seeds)
    if n_seeds > 1:
        variance = cells.mean(axis=-1).var(axis=-1, ddof=1) / n_seeds
        inner = (share > 0) & (share < 1)
        # A variance of 0 (each seed has the same share) divides to infinity, which is cut to S M.
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.clip(share * (1 - share) / variance, n_seeds, n_seeds * n_tasks)
        n = np.where(inner, worth, n)
    return wilson_interval(share, n)


def wilson_interval(share: np.ndarray, n: np.ndarray | float, *, level: float = LEVEL) -> Estimate:
    """Proportions (...) of n trials with Wilson's score interval (JASA 22, 1927)."""
    share = np.asarray(share, float)
    z = _quantile(level)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    # At a share of 0 or 1 the limit is exactly 0 or 1; rounding would miss it.
    low, high = np.minimum(centre - half, share), np.maximum(centre + half, share)
    return Estimate(share, np.maximum(low, 0.0), np.minimum(high, 1.0))


def mean_interval(
    values: np.ndarray, *, level: float = LEVEL, within: Range = EVERYWHERE
) -> Estimate:
    """Mean over the first axis of values (S, ...) with Student's t interval: (...) each.

    It is for curves and single tasks. The interval ends where the possible values ``within`` end.
    If the S values are far from normal, the coverage is approximate. With one value the limits are
    NaN.
    """
    values = complete(values)
    n = len(values)
    mean = values.mean(axis=0)
    if n < 2:
        return Estimate(mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan))
    half = scipy.special.stdtrit(n - 1, 0.5 + level / 2) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return Estimate(mean, *_cut(mean, mean - half, mean + half, within))


def ratio_interval(
    gains: np.ndarray, scales: np.ndarray, *, within: Range = EVERYWHERE
) -> Estimate:
    r"""Mean score :math:`R = \bar g / \bar c` of one task with Student's t interval.

    The variance is that of the ratio estimator (Cochran 1977, section 6.4),
    :math:`\sum_s (g_s - R c_s)^2 / ((S - 1) S \bar c^2)`, in which noise common to gain and scale
    cancels. Gains of 0 have the interval [0, 0]; with one seed the limits are NaN.

    Parameters
    ----------
    gains, scales : ndarray of shape (S,)
    within : tuple of two floats
        The lowest and the highest possible score, where the interval ends.
    """
    gains, scales = complete(gains), complete(scales)
    ratio = gains.mean() / scales.mean()
    residual = mean_interval((gains - ratio * scales) / scales.mean())
    low, high = (ratio + (limit - residual.value) for limit in residual[1:])
    return Estimate(ratio, *_cut(ratio, low, high, within))


def _cut(
    value: np.ndarray, low: np.ndarray, high: np.ndarray, within: Range
) -> tuple[np.ndarray, np.ndarray]:
    """The limits within the range, and on either side of the value, which rounding may move out."""
    least, most = within
    return np.minimum(np.maximum(low, least), value), np.maximum(np.minimum(high, most), value)


def _quantile(level: float) -> float:
    """The quantile of the normal distribution for a two-sided interval of coverage ``level``."""
    if not 0 < level < 1:
        raise ValueError(f"level is a coverage and must lie between 0 and 1, got {level}")
    return scipy.special.ndtri(0.5 + level / 2)


def student(z: float, n_seeds: int) -> float:
    """How many standard deviations of the draws correspond to z of the normal distribution."""
    # The lower tail is precise where the upper one would round to 1.
    quantile = scipy.special.stdtrit(n_seeds - 1, scipy.special.ndtr(-z))
    return -np.sqrt(n_seeds / (n_seeds - 1)) * quantile


def complete(scores: np.ndarray) -> np.ndarray:
    scores = np.asarray(scores, float)
    missing = int(np.count_nonzero(~np.isfinite(scores)))
    if missing or not scores.size:
        raise ValueError(
            f"scores must be complete and finite, got {missing} missing of {scores.size} episodes"
        )
    return scores
