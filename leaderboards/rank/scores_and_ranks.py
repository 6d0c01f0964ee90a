r"""Turns gains into scores and scores into a ranking: small pure functions on arrays.

Arrays have shape (..., S, M): S seeds by M tasks, and any leading axes, usually one over agents.
All agents play the same seeds, and a seed gives all of them the same environment and random draws.
So agents are compared **paired**, and every agent is resampled with the same indices.

The score
---------
An episode is one seed of one task. On seed s of a task let :math:`b_s` be the measure of uniform
play (in regression, of predicting 0), :math:`\beta_s` the best (no regret, or what the suite's
reference reaches) and :math:`m_s` the measure of the agent, all three on that same seed. Its *gain*
is :math:`g_s = b_s - m_s`, and the *scale* of the seed, its possible gain, is
:math:`c_s = b_s - \beta_s`. The *score* of a task is the mean gain as a share of the mean possible
gain, and the score of a ranking is the mean over its M tasks:

.. math:: x = \frac{1}{M} \sum_{m=1}^{M} \frac{\bar g_m}{\bar c_m}, \qquad
    \bar g = \frac{1}{S} \sum_{s=1}^{S} g_s, \quad \bar c = \frac{1}{S} \sum_{s=1}^{S} c_s .

Both differences are negative for a measure that should be large. Uniform play scores exactly 0, and
perfect play, :math:`m_s = \beta_s` on every seed, exactly 1. No episode is cut or clipped: a task
on which an agent fails lowers its score by as much as the failure costs. A baseline played on other
seeds would be wrong: it gave uniform play a score of 0.125 [0.009, 0.148] on thirty draws of a
rough Gaussian process that happened to be harder than most. A task has one denominator, not one for
each seed: seeds on which little can be gained (:math:`c_s` near 0) would otherwise have scores of
any size and count as much as the others. The score of an episode is :math:`g_s / \bar c`; the mean
of a task's episodes is the score of the task.

The denominator is itself estimated from the seeds, so scores are **ratios of means**. Every
bootstrap here therefore draws the pairs :math:`(g_s, c_s)`, and the gains of a resample are
divided by the :math:`\bar c` of *that resample*. A resample in which :math:`\bar c` of a task is 0
or has the other sign says nothing about shares and is left out. Such resamples are very rare if the
mean scale is at least twice its standard error, which the board requires.

Seeds are resampled, never rounds. The tasks of a suite are fixed strata: every resample has S
episodes of each. The seeds are drawn with replacement, **one draw for all tasks**, because the
results of similar tasks on a seed are correlated: between linear tasks that differ only in their
noise, the final regrets of LinUCB correlate over the seeds by 0.3 to 0.4, and those of uniform play
by 1. A separate draw for each task, as is usual for independent runs, would give intervals that are
too short.

No function here drops a missing episode: a NaN or an infinity raises ``ValueError``, and the caller
decides which agents to leave out of a comparison. With one seed the limits of intervals are NaN.

References
----------
W. G. Cochran. Sampling Techniques. Third edition, Wiley 1977, chapter 6 (ratio estimators).

M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm. Inference for Ranks with Applications to Mobility
across Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies 91(1),
2024.
"""

from collections.abc import Callable

import numpy as np

from leaderboards.rank.interval_estimates import (
    LEVEL,
    Estimate,
    complete,
    percentile_interval,
    seed_share,
    student,
)

RESAMPLES = 2000
ROUNDING = 1e-9  # of a score; a score of 1 is the possible gain

Statistic = Callable[[np.ndarray], np.ndarray]
"""Takes (..., S, M) to (...)."""


def task_scores(gains: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Scores (..., M) of the tasks: mean gain over mean possible gain.

    Parameters
    ----------
    gains : ndarray of shape (..., S, M)
    scales : ndarray of shape (S, M), or (..., S, M)
        The possible gain on the same seeds.

    Examples
    --------
    >>> task_scores(np.array([[3.0], [1.0]]), np.array([[6.0], [2.0]]))
    array([0.5])
    """
    # Both in C order: equal numbers then have equal sums, and perfect play scores 1 exactly.
    gains, scales = np.ascontiguousarray(complete(gains)), np.ascontiguousarray(complete(scales))
    return gains.mean(axis=-2) / scales.mean(axis=-2)


def scored(gains: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Scores (..., S, M) of episodes, of gains (..., S, M) by the scales (S, M) of the same seeds.

    Examples
    --------
    >>> scored(np.array([[3.0], [1.0]]), np.array([[6.0], [2.0]]))
    array([[0.75],
           [0.25]])
    """
    gains, scales = np.asarray(gains, float), np.asarray(scales, float)
    return gains / scales.mean(axis=-2, keepdims=True)


def score_draws(
    gains: np.ndarray, scales: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 0
) -> np.ndarray:
    """`task_scores` on resamples of S seeds drawn with replacement, the same for all tasks.

    The mean of draws over tasks is the draw of a ranking's score. Pairing is that of `bootstrap`.

    Parameters
    ----------
    gains : ndarray of shape (..., S, M)
    scales : ndarray of shape (S, M)
        Gains are divided by the mean of these over the seeds of each resample.
    resamples, seed
        As for `bootstrap`.

    Returns
    -------
    ndarray of shape (B, ..., M)
        Fewer than B if resamples are left out, as the docstring of this module explains.

    Raises
    ------
    ValueError
        As for `bootstrap`.
    """
    gains = complete(gains)
    indices, divisors = _resamples(scales, resamples, seed)
    means = _drawn(gains, _means, indices)
    return means / divisors.reshape(-1, *[1] * (gains.ndim - 2), gains.shape[-1])


def bootstrap(
    values: np.ndarray, statistic: Statistic, *, resamples: int = RESAMPLES, seed: int = 0
) -> np.ndarray:
    """The statistic on resamples of S seeds drawn with replacement, the same for all tasks.

    The indices depend only on (S, resamples, seed). So all leading entries share them, which keeps
    comparisons paired, and the draws of an entry do not depend on the other entries.

    Parameters
    ----------
    values : ndarray of shape (..., S, M)
    statistic : callable
        Takes (..., S, M) to (...).
    resamples : int
        Number of resamples, B >= 1.
    seed : int
        Seed of the ``numpy.random.Generator`` that draws the indices.

    Returns
    -------
    ndarray of shape (B, ...)

    Raises
    ------
    ValueError
        If an episode is missing (NaN or infinite) or ``resamples < 1``.
    """
    values = complete(values)
    return _drawn(values, statistic, _indices(values.shape[-2], resamples, seed))


def stratified_bootstrap_interval(
    values: np.ndarray,
    statistic: Statistic,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The statistic of values (..., S, M) with its percentile bootstrap interval, (...) each.

    The parameters and errors are those of `bootstrap` and `percentile_interval`.
    """
    draws = bootstrap(values, statistic, resamples=resamples, seed=seed)
    value = statistic(np.asarray(values, float))
    return percentile_interval(value, draws, n_seeds=np.shape(values)[-2], level=level)


def _means(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=-2)


def _indices(n_seeds: int, resamples: int, seed: int) -> np.ndarray:
    """The seeds of each resample, (B, S)."""
    if not resamples >= 1:
        raise ValueError(f"resamples is a number of draws and must be >= 1, got {resamples}")
    return np.random.default_rng(seed).integers(n_seeds, size=(resamples, n_seeds))


def _resamples(scales: np.ndarray, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The seeds (B, S) and the divisors (B, M) of each resample that says something."""
    scales = complete(scales)
    indices = _indices(len(scales), resamples, seed)
    divisors = _drawn(scales, _means, indices)
    kept = (np.sign(divisors) == np.sign(scales.mean(axis=0))).all(axis=1)
    return indices[kept], divisors[kept]


def _drawn(values: np.ndarray, statistic: Statistic, indices: np.ndarray) -> np.ndarray:
    """The statistic of each resample, with the resamples in front."""
    n_seeds, n_tasks = values.shape[-2:]
    entries = values.reshape(-1, n_seeds, n_tasks)
    # In chunks of a million episodes, memory stays near 10 MB for any number of resamples.
    chunk = max(1, 1_000_000 // (n_seeds * n_tasks))
    parts = [
        np.stack([statistic(entry.take(some, axis=0)) for entry in entries], axis=1)
        for some in (indices[start : start + chunk] for start in range(0, len(indices), chunk))
    ]
    drawn = np.concatenate(parts)  # (B, entries, ...)
    return drawn.reshape(len(indices), *values.shape[:-2], *drawn.shape[2:])


def paired_differences(value: np.ndarray, draws: np.ndarray, *, n_seeds: int) -> Estimate:
    """The difference in score between all pairs of L agents, on common seeds.

    Entry (j, k) is ``value[j] - value[k]``. Randomness that two agents share cancels, so the
    interval is often much shorter than the agents' own intervals suggest.

    Parameters
    ----------
    value : ndarray of shape (L,)
        Scores.
    draws : ndarray of shape (B, L)
        The same on resamples of `bootstrap`, which uses the same indices for all agents.

    Returns
    -------
    Estimate of arrays of shape (L, L)
    """
    return percentile_interval(
        value[:, None] - value[None, :],
        draws[:, :, None] - draws[:, None, :],
        n_seeds=n_seeds,
    )


def rank_intervals(
    value: np.ndarray, draws: np.ndarray, *, n_seeds: int, level: float = LEVEL
) -> np.ndarray:
    r"""The ranks that the data do not rule out, 1 being the best, for all agents at once.

    Agent j is *separated* from k if the interval of the difference
    :math:`D_{jk} = v_j - v_k` does not contain 0. The intervals hold simultaneously for all pairs:
    with :math:`s_{jk}` the standard deviation of the draws and c the ``level`` quantile of
    :math:`\max_{j<k} |D^*_{jk} - D_{jk}| / s_{jk}`, expanded for few seeds as in
    `percentile_interval`, pair (j, k) is separated if :math:`|D_{jk}| > c\, s_{jk}`. The
    interval of j starts at 1 + (number separated above it) and ends at L - (number separated
    below it).

    Scores that differ by less than ``ROUNDING`` count as equal: two implementations of the same
    decisions may round a regret differently, by the same difference on every seed. So agents that
    the data cannot separate share ranks, and agents with equal scores have the same interval.
    Quantiles of bootstrapped ranks would give shorter intervals, which are too short if agents are
    close (Mogstad et al. 2024).

    Parameters
    ----------
    value : ndarray of shape (L,)
        Higher is better.
    draws : ndarray of shape (B, L)
        From `bootstrap`, which uses the same indices for all agents.
    n_seeds : int
        S; with one seed no agents are separated.

    Returns
    -------
    ndarray of shape (L, 2)
        First and last rank, ints.
    """
    value = np.asarray(value, float)
    n_agents = len(value)
    if n_seeds < 2 or n_agents < 2:
        return np.tile([1, n_agents], (n_agents, 1))
    above, below = np.triu_indices(n_agents, 1)
    difference = value[above] - value[below]  # (pairs,)
    resampled = draws[:, above] - draws[:, below]  # (B, pairs)
    spread = resampled.std(axis=0, ddof=1)
    varying = spread > ROUNDING  # else they differ by a constant, 0 for an agent and its copy
    deviation = np.abs(resampled - difference)[:, varying] / spread[varying]
    largest = deviation.max(axis=1, initial=0.0)
    critical = student(np.quantile(largest, level), n_seeds)
    apart = np.abs(difference) > np.maximum(critical * spread, ROUNDING)
    wins = np.zeros((n_agents, n_agents), bool)
    wins[above, below] = apart & (difference > 0)
    wins[below, above] = apart & (difference < 0)
    return np.stack([1 + wins.sum(axis=0), n_agents - wins.sum(axis=1)], axis=1)


def probability_of_improvement(first: np.ndarray, second: np.ndarray) -> Estimate:
    """How often ``first`` beats ``second`` on the same seed of the same task; a tie counts half.

    The interval is Wilson's for the effective number of trials (see `seed_share`). Unlike the
    bootstrap's, it does not shrink to a point if one agent wins every time. Which of two scores is
    higher does not depend on their common denominator, so no scale is resampled here.

    Parameters
    ----------
    first, second : ndarray of shape (..., S, M)
        Scores, broadcast against each other.

    Returns
    -------
    Estimate of arrays of shape (...)
    """
    first, second = complete(first), complete(second)
    return seed_share((first > second) + 0.5 * (first == second))


def performance_profile(
    gains: np.ndarray,
    scales: np.ndarray,
    thresholds: np.ndarray,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The share of episodes that score above each threshold, with pointwise intervals.

    The interval is the union of two. The interval of `seed_share` does not shrink to a point if all
    episodes are on one side of a threshold. The bootstrap's percentile interval allows for the
    shared, estimated denominator of all scores of a task.

    Parameters
    ----------
    gains : ndarray of shape (..., S, M)
    scales : ndarray of shape (S, M)
    thresholds : ndarray of shape (P,)
        In ascending order.

    Returns
    -------
    Estimate of arrays of shape (..., P)
    """
    gains, thresholds = complete(gains), np.asarray(thresholds, float)
    n_seeds, n_tasks = gains.shape[-2:]
    scores = scored(gains, scales)
    parts = [seed_share((scores > threshold).astype(float)) for threshold in thresholds]
    share, low, high = (np.stack(part, axis=-1) for part in zip(*parts, strict=True))
    indices, divisors = _resamples(scales, resamples, seed)
    shape = (-1, len(thresholds))
    flat_share, flat_low, flat_high = (part.reshape(shape) for part in (share, low, high))  # views
    for j, entry in enumerate(gains.reshape(-1, n_seeds, n_tasks)):
        draws = _shares_above(entry[indices] / divisors[:, None], thresholds)  # (B, P)
        drawn = percentile_interval(flat_share[j], draws, n_seeds=n_seeds)
        # One seed has no percentiles, and fmin skips their NaN.
        np.fmin(flat_low[j], drawn.low, out=flat_low[j])
        np.fmax(flat_high[j], drawn.high, out=flat_high[j])
    return Estimate(share, low, high)


def _shares_above(cells: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """The share of each resample's episodes (B, S, M) above each threshold, of shape (B, P)."""
    n, many = len(cells), len(thresholds) + 1
    below = np.searchsorted(thresholds, cells.reshape(n, -1))  # number of thresholds below a score
    places = below + many * np.arange(n)[:, None]
    counts = np.bincount(places.ravel(), minlength=n * many).reshape(n, many)
    return counts[:, ::-1].cumsum(axis=1)[:, -2::-1] / below.shape[1]
