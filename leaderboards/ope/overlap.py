r"""Whether a log says anything about a policy: effective sample size, Pareto k, and the verdict.

The direct method's interval covers which rounds were logged, and not the model's error, so that
nothing can be concluded from it alone. Nothing can be from weights, says :class:`WeightSums`, if
one of these is true:

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

from dataclasses import dataclass, field

import numpy as np

SMALLEST_SAMPLE = 100
LARGEST_K = 0.7
INFINITE_VARIANCE = 0.5  # a tail of shape k has moments below 1 / k
MOST_ERRORS = 4.0


def largest(weights: np.ndarray, n_rounds: int) -> np.ndarray:
    """The weights of the tail of n rounds, and the largest that is not in it."""
    size = int(3 * np.sqrt(n_rounds) if n_rounds > 225 else n_rounds / 5) + 1
    if len(weights) <= size:
        return weights
    return np.partition(weights, len(weights) - size)[len(weights) - size :]


def pareto_k(tail: np.ndarray) -> float:
    r"""The shape k of a generalised Pareto distribution fitted to `largest` weights.

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
    tail, length = np.sort(tail), len(tail) - 1
    if length < 5:
        return np.nan
    excess = tail[1:] - tail[0]
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


@dataclass(eq=False)
class WeightSums:
    """What is known of the weights of rounds that are added in several parts.

    Attributes
    ----------
    most_rounds : int
        At least the number of rounds.
    n_rounds : int
    unsupported : int
        The rounds in which the policy plays what the log cannot have.
    policy_weights, largest_weight, smallest_propensity : float
        The sum and the largest of the importance weights, and the smallest propensity.
    weights, squares : float
        Sums of the importance weights times those of rounds.
    gap, gap_squares : float
        Sums of the weights of rounds times the importance weights less 1.
    tail : ndarray
        The largest weights.
    """

    most_rounds: int
    n_rounds: int = 0
    unsupported: int = 0
    policy_weights: float = 0.0
    largest_weight: float = 0.0
    smallest_propensity: float = np.inf
    weights: float = 0.0
    squares: float = 0.0
    gap: float = 0.0
    gap_squares: float = 0.0
    tail: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def add(
        self,
        policy_weights: np.ndarray,
        propensity: np.ndarray,
        unsupported: np.ndarray,
        round_weights: np.ndarray | float = 1.0,
    ) -> None:
        """Add rounds: arrays (m,)."""
        weights = round_weights * policy_weights
        gap = round_weights * (policy_weights - 1)
        self.n_rounds += len(policy_weights)
        self.unsupported += int(unsupported.sum())
        self.policy_weights += float(policy_weights.sum())
        self.largest_weight = max(self.largest_weight, float(policy_weights.max()))
        self.smallest_propensity = min(self.smallest_propensity, float(propensity.min()))
        self.weights += float(weights.sum())
        self.squares += float((weights**2).sum())
        self.gap += float(gap.sum())
        self.gap_squares += float((gap**2).sum())
        self.tail = largest(np.append(self.tail, weights), self.most_rounds)

    @property
    def effective_sample_size(self) -> float:
        return self.weights**2 / self.squares if self.squares else 0.0

    @property
    def pareto_k(self) -> float:
        return pareto_k(largest(self.tail, self.n_rounds))

    def doubts(self) -> tuple[str, ...]:
        """Why nothing can be concluded from the log; empty if it suffices."""
        found = []
        if self.unsupported:
            found.append(
                f"in {self.unsupported:,} of {self.n_rounds:,} rounds the policy plays what the "
                "log cannot have"
            )
        if (size := self.effective_sample_size) < SMALLEST_SAMPLE:
            found.append(f"the effective sample size is {size:.0f}, below {SMALLEST_SAMPLE}")
        if (k := self.pareto_k) > (most := largest_k(self.n_rounds)):
            found.append(f"few weights dominate: Pareto k is {k:.2f}, above {most:.2f}")
        if abs(self.gap) > MOST_ERRORS * np.sqrt(self.gap_squares):
            found.append(
                f"the weights average {self.policy_weights / self.n_rounds:.3g}, not 1: are the "
                "propensities those with which the log was played?"
            )
        return tuple(found)
