r"""Whether a log says anything about a policy: effective sample size, Pareto k, and the verdict.

The direct method's interval covers which rounds were logged, and not the model's error, so that
nothing can be concluded from it alone. Nothing can be from weights, says :func:`doubts`, if one of
these is true:

- The policy plays an action of propensity 0: no weight makes up for what is never seen.
- The effective sample size :math:`(\sum w_t)^2 / \sum w_t^2` is below 100. It is a convention:
  Stan's reference of ``ess_bulk`` asks for about 100 for each chain before it trusts an estimate.
- Pareto k, the shape of the weights' upper tail, exceeds :math:`\min(1 - 1 / \log_{10} T, 0.7)`:
  then "a single or few weights dominate", in the words of Stan's package ``posterior``, whose rule
  this is. It cites equation 13 of Vehtari, Simpson, Gelman, Yao and Gabry. Pareto Smoothed
  Importance Sampling. JMLR 25(72), 2024.
- The weights do not average 1, as they do in expectation if the propensities are right: the mean
  is more than 4 standard errors away.

:func:`leaderboards.ope.evaluate` adds that clipping must not move the estimate by more than its
standard error: at that bias, an interval at 95 % covers 83 %.
"""

import numpy as np

from leaderboards.ope.estimators import Contributions

SMALLEST_SAMPLE = 100
LARGEST_K = 0.7
INFINITE_VARIANCE = 0.5  # a tail of shape k has moments below 1 / k
MOST_ERRORS = 4.0


def effective_sample_size(weights: np.ndarray) -> float:
    """That of weights (T,): T if all are equal, 0 if all are 0."""
    squares = (weights**2).sum()
    return float(weights.sum() ** 2 / squares) if squares else 0.0


def pareto_k(weights: np.ndarray) -> float:
    r"""The shape k of a generalised Pareto distribution fitted to the largest of weights (T,).

    The tail has :math:`3 \sqrt T` weights, or T / 5 if T is at most 225. It is fitted by the
    estimator of J. Zhang and M. A. Stephens (A New and Efficient Estimation Method for the
    Generalized Pareto Distribution. Technometrics 51(3), 2009), and k is drawn towards 0.5 as if by
    ten more weights. NaN says that no such tail is there: it has fewer than five weights, or a
    quarter are as small as the smallest, or fewer than half are distinct; then the effective sample
    size decides alone.

    All of this but the last was read in the code of Stan's ``posterior`` (``ps_tail_length``,
    ``ps_tail``, ``gpdfit``), which cites both papers; these themselves could not be read. An agent
    with few policies gives few distinct weights, and a continuous tail fitted to their steps has a
    large k at any scale: up to 6 where the effective sample size was 700 of 1,000.
    """
    n = len(weights)
    length = int(3 * np.sqrt(n) if n > 225 else n / 5)
    if length < 5:
        return np.nan
    largest = np.sort(np.partition(weights, n - length - 1)[n - length - 1 :])
    excess = largest[1:] - largest[0]
    quartile = excess[int(length / 4 + 0.5) - 1]
    if quartile <= excess[0] or len(np.unique(excess)) < length / 2:
        return np.nan
    grid = np.arange(1, 30 + int(np.sqrt(length)) + 1)
    theta = 1 / excess[-1] + (1 - np.sqrt(len(grid) / (grid - 0.5))) / (3 * quartile)
    shapes = np.log1p(-np.outer(theta, excess)).mean(axis=1)
    log_likelihood = length * (np.log(-theta / shapes) - shapes - 1)
    share = np.exp(log_likelihood - log_likelihood.max())
    mean_theta = (theta * share).sum() / share.sum()
    k = np.log1p(-mean_theta * excess).mean()
    return float((k * length + 0.5 * 10) / (length + 10))


def largest_k(n_rounds: int) -> float:
    """The Pareto k above which nothing is concluded from T rounds."""
    return min(1 - 1 / np.log10(max(n_rounds, 2)), LARGEST_K)


def doubts(contributions: Contributions, policy_weights: np.ndarray) -> tuple[str, ...]:
    """Why nothing can be concluded from a log; empty if it suffices."""
    found = []
    n_rounds = len(policy_weights)
    if missing := int(contributions.unsupported.sum()):
        found.append(
            f"in {missing:,} of {n_rounds:,} rounds the policy plays what the log cannot have"
        )
    weights = contributions.round_weights * policy_weights
    size = effective_sample_size(weights)
    if size < SMALLEST_SAMPLE:
        found.append(f"the effective sample size is {size:.0f}, below {SMALLEST_SAMPLE}")
    if (k := pareto_k(weights)) > largest_k(n_rounds):
        found.append(f"few weights dominate: Pareto k is {k:.2f}, above {largest_k(n_rounds):.2f}")
    gap = contributions.round_weights * (policy_weights - 1)
    if abs(gap.sum()) > MOST_ERRORS * np.sqrt((gap**2).sum()):
        found.append(f"the weights average {policy_weights.mean():.3g}, not 1: are the propensities"
                     " those with which the log was played?")  # fmt: skip
    return tuple(found)
