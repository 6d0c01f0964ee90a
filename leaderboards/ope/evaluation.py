"""`evaluate`, and its result."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from leaderboards.ope import intervals
from leaderboards.ope.adaptive_weights import ADAPTIVE, adaptive
from leaderboards.ope.estimators import PLAIN, plain
from leaderboards.ope.intervals import BOUNDED, INTERVALS, Limits
from leaderboards.ope.logged_rounds import TOLERANCE, Log, Rounds, checked
from leaderboards.ope.overlap import INFINITE_VARIANCE, WeightSums

ESTIMATORS = (*PLAIN, *ADAPTIVE)
CHANGED = "the agent's policy changed, so that the interval may miss"
MODEL_ALONE = "the direct method is as wrong as its model, which no interval covers"


@dataclass(frozen=True)
class Evaluation:
    """An estimate of what a policy would have earned in each round, and how far to trust it.

    Attributes
    ----------
    value, low, high, standard_error : float
        The estimate, its interval and its standard error. They are NaN if no round has a weight.
    estimator, interval : str
    level : float
    n_rounds : int
    effective_sample_size, largest_weight, smallest_propensity : float
        Of the importance weights and of the propensities of the actions played; NaN if the log has
        no propensities. An adaptively weighted estimator's sample size counts its weights too.
    pareto_k : float
        The shape of the upper tail of these weights; NaN if there is no tail.
    doubts : tuple of str
        Why nothing can be concluded from the log; empty if it suffices.
    warnings : tuple of str
        What else to know about the interval.
    """

    value: float
    low: float
    high: float
    standard_error: float
    estimator: str
    interval: str
    level: float
    n_rounds: int
    effective_sample_size: float
    largest_weight: float
    smallest_propensity: float
    pareto_k: float
    doubts: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def conclusive(self) -> bool:
        """Whether there is no doubt; if there is one, take no decision by the estimate."""
        return not self.doubts

    def __str__(self) -> str:
        text = (
            f"{self.value:.4g}, {100 * self.level:g} % within {self.low:.4g} .. {self.high:.4g} "
            f"({self.estimator}, {self.interval}, {self.n_rounds:,} rounds)"
        )
        if self.doubts:
            text = f"cannot be concluded from this log: {'; '.join(self.doubts)}. Estimate: {text}"
        return text


def evaluate(
    log: Log,
    policy: ArrayLike,
    *,
    estimator: str = "dr",
    interval: str = "normal",
    level: float = 0.95,
    clip: float | None = None,
    reward_range: Limits | None = None,
    seed: int = 0,
) -> Evaluation:
    """Estimate the mean reward per round of a policy from a log that another policy played.

    Parameters
    ----------
    log : Log
    policy : array_like of shape (T, K)
        The probabilities with which the policy would play each action in each logged round.
    estimator : str
        ``"direct"`` is the predictions' mean under the policy, and as wrong as they are. ``"ips"``
        weights each reward by the policy's probability over the propensity, and ``"snips"`` divides
        by the sum of the weights. ``"dr"`` adds to the direct method the weighted errors of the
        predictions, and ``"sndr"`` normalises these. For logs of adaptive agents, ``"minvar"``,
        ``"stablevar"``, ``"contextual-minvar"`` and ``"contextual-stablevar"`` also weight rounds,
        so that those in which the agent hardly plays what the policy plays do not decide.
    interval : str
        ``"normal"``; ``"bootstrap"``; or ``"bernstein"``, which holds at every T, and is for
        ``direct``, ``ips`` and ``dr``. Adaptively weighted estimators have the normal one alone.
    level : float
    clip : float, optional
        The largest weight; larger ones are cut to it. Not for ``direct`` and adaptive weights.
    reward_range : (float, float), optional
        The lowest and the highest possible reward, for ``bernstein``.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If the log or the policy is malformed (it names the row), if the log is deterministic and
        the estimator weights, or if the estimator or interval lacks what it needs.

    Notes
    -----
    The formulas stand in ``leaderboards/ope/estimators.py``, ``adaptive_weights.py`` and
    ``intervals.py``, and the rule by which a log does not suffice in ``overlap.py``.

    References
    ----------
    R. Zhan, V. Hadad, D. A. Hirshberg and S. Athey. Off-Policy Evaluation via Adaptive Weighting
    with Data from Contextual Bandits. KDD 2021.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> actions = rng.integers(2, size=1000)  # a coin decided
    >>> rewards = (rng.random(1000) < np.where(actions, 0.7, 0.4)).astype(float)
    >>> log = Log(actions, rewards, propensities=np.full(1000, 0.5))
    >>> always_one = np.tile([0.0, 1.0], (1000, 1))
    >>> print(evaluate(log, always_one, estimator="snips"))
    0.7076, 95 % within 0.6692 .. 0.7461 (snips, normal, 1,000 rounds)
    """
    check_choice(estimator, interval, level, clip)
    return evaluated(checked(log, policy), (estimator, interval, level), clip, reward_range, seed)


def evaluated(
    rounds: Rounds,
    given: tuple[str, str, float],
    clip: float | None,
    reward_range: Limits | None = None,
    seed: int = 0,
) -> Evaluation:
    """`evaluate`, given checked rounds, and the estimator, interval and level."""
    estimator, interval, level = given
    _check_fields(rounds, estimator)
    if estimator in ADAPTIVE:
        contributions = adaptive(rounds, estimator)
    else:
        contributions = plain(rounds, estimator, clip)
    value, error = contributions.value, intervals.standard_error(contributions)
    if interval == "normal":
        limits = intervals.normal(value, error, level)
    elif interval == "bootstrap":
        limits = intervals.bootstrap(contributions, level, seed)
    else:
        within = intervals.term_range(rounds, estimator, clip, reward_range)
        limits = intervals.bernstein(contributions, level, within)
    weights = None
    if rounds.propensity is not None:
        weights = WeightSums(len(rounds.rewards))
        weights.add(
            rounds.policy_weights, rounds.propensity, contributions.unsupported,
            contributions.round_weights,
        )  # fmt: skip
    warnings, found = (), ()
    if estimator in PLAIN and estimator != "direct" and _changed(rounds):
        warnings = (f"{CHANGED}: compare {', '.join(ADAPTIVE)}",)
    if clip is not None and (cut := int((rounds.policy_weights > clip).sum())):
        unclipped = plain(rounds, estimator, None).value
        found, told = clipping_remarks(value, unclipped, error, cut, clip)
        warnings += told
    return result(value, limits, error, given, len(rounds.rewards), weights, found, warnings)


def result(
    value: float,
    limits: Limits,
    error: float,
    given: tuple[str, str, float],
    n_rounds: int,
    weights: WeightSums | None,
    found: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Evaluation:
    """The result of an estimator, with the doubts and warnings that its weights add."""
    size = largest = smallest = k = np.nan
    if given[0] == "direct":
        found = (MODEL_ALONE, *found)
    if weights is not None:
        size, k = weights.effective_sample_size, weights.pareto_k
        largest, smallest = weights.largest_weight, weights.smallest_propensity
        if given[0] != "direct":
            found = (*weights.doubts(), *found)
            if k > INFINITE_VARIANCE:
                warnings += (f"the weights may have no variance: Pareto k is {k:.2f}",)
    return Evaluation(
        value, *limits, error, *given, n_rounds, size, largest, smallest, k, found, warnings
    )


def clipping_remarks(
    value: float, unclipped: float, error: float, cut: int, clip: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The doubts and the warnings about weights that were cut."""
    found: tuple[str, ...] = ()
    if (moved := abs(value - unclipped)) > error:
        found = (f"clipping moves the estimate by {moved:.2g}, its standard error is {error:.2g}",)
    return found, (f"{cut:,} weights were cut to {clip:g}, which biases the estimate",)


def _changed(rounds: Rounds) -> bool:
    of_round = rounds.policy_of_round
    return of_round is not None and bool((of_round != of_round[0]).any())


def check_choice(estimator: str, interval: str, level: float, clip: float | None) -> None:
    """Refuse what no log allows."""
    for name, one, known in (
        ("estimator", estimator, ESTIMATORS),
        ("interval", interval, INTERVALS),
    ):
        if one not in known:
            raise ValueError(f"{name} is {one!r}: give one of {', '.join(known)}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}: give a number between 0 and 1")
    if clip is not None and (estimator == "direct" or estimator in ADAPTIVE or not clip > 0):
        raise ValueError(f"clip is {clip}: give a positive number, to ips, snips, dr or sndr alone")
    if interval == "bootstrap" and estimator in ADAPTIVE:
        raise ValueError(f"{estimator} has no bootstrap, as rounds depend on earlier ones: normal")
    if interval == "bernstein" and estimator not in BOUNDED:
        raise ValueError(f"bernstein is for {', '.join(BOUNDED)}: {estimator} has no bounded terms")


def check_propensities(estimator: str, smallest: float | None) -> None:
    """Refuse to weight logs without propensities, or whose smallest is 1."""
    if estimator == "direct":
        return
    if smallest is None:
        raise ValueError(f"propensities are missing: {estimator} needs them; log them")
    if smallest >= 1 - TOLERANCE:
        raise ValueError(
            f"the log is deterministic, every propensity is 1: {estimator} cannot weight it; "
            "log an agent that explores, or take direct"
        )


def _check_fields(rounds: Rounds, estimator: str) -> None:
    propensity = rounds.propensity
    check_propensities(estimator, None if propensity is None else float(propensity.min()))
    if estimator not in ("ips", "snips") and rounds.predictions is None:
        raise ValueError(f"predictions are missing: {estimator} needs them; see predicted_rewards")
    if estimator in ADAPTIVE and rounds.logging_policies is None:
        raise ValueError(f"logging_policies are missing: {estimator} needs them, or take dr")
