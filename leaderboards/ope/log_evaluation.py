"""Policies evaluated on a log that is read in chunks: ``banditgym evaluate``.

Of the estimators `PLAIN`, an estimate is b̄ + ū / v̄ for the means of three columns of rounds, and
its standard error follows from their covariance, so that sums over chunks suffice. With the rewards
r as a fourth column, so does that of the gain over the logging policy, the estimate less r̄, in
which what both have in common cancels. All else is computed with all rows in memory, and refused
above `MOST_WHOLE` rows; adaptive weights, whose cost is quadratic, above `MOST_ADAPTIVE`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from banditgym.logs import BanditLog, LogChunk
from banditgym.logs.log_tasks import shape_shown
from leaderboards.ope.adaptive_weights import ADAPTIVE
from leaderboards.ope.estimators import PLAIN, plain_columns, unsupported
from leaderboards.ope.evaluation import (
    CHANGED,
    Evaluation,
    check_choice,
    check_propensities,
    clipping_remarks,
    evaluated,
    result,
)
from leaderboards.ope.intervals import normal
from leaderboards.ope.log_models import ESTIMATED, FOLDS, LogModels
from leaderboards.ope.logged_rounds import Log, Rounds, checked, policies_of_rows
from leaderboards.ope.overlap import WeightSums
from leaderboards.ope.policies import AgentPolicy, Policy
from leaderboards.run.store.row_schema import without_nan

MOST_WHOLE = 1_000_000
MOST_ADAPTIVE = 20_000
DEFAULT = ("dr", "snips", "ips")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """How policies are evaluated; the parameters are those of `evaluate`."""

    estimators: tuple[str, ...] = DEFAULT
    interval: str = "normal"
    level: float = 0.95
    clip: float | None = None
    estimate_propensities: bool = False
    learns: bool = False


@dataclass(frozen=True)
class PolicyReport:
    """What a log says about a policy.

    ``gain`` is by how much it earns more than the logging policy by the first estimator, with its
    interval; NaN if that is not one of `PLAIN`.
    """

    policy: str
    evaluations: tuple[Evaluation, ...]
    gain: float
    gain_low: float
    gain_high: float

    @property
    def verdict(self) -> str:
        """What can be concluded, by the first estimator."""
        first = self.evaluations[0]
        if first.doubts:
            return f"{self.policy}: cannot be concluded from this log: {'; '.join(first.doubts)}"
        if np.isnan(self.gain):
            return f"{self.policy}: earns {first.value:.4g} a round"
        limits = f"{self.gain_low:.3g} .. {self.gain_high:.3g}"
        if self.gain_low > 0 or self.gain_high < 0:
            more = "more" if self.gain_low > 0 else "less"
            return f"{self.policy}: earns {more} than the logging policy, by {limits}"
        return f"{self.policy}: not clearly more or less than the logging policy: {limits}"


@dataclass(frozen=True)
class LogReport:
    """Policies on a log, and what the logging policy earned in the same rounds."""

    log: str
    n_rounds: int
    logged: float
    logged_low: float
    logged_high: float
    policies: tuple[PolicyReport, ...]
    remarks: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it; NaN is None."""
        verdicts = {one.policy: one.verdict for one in self.policies}
        return without_nan(asdict(self) | {"verdicts": verdicts})


class Moments:
    """Means and covariances of the columns b, u, v and r of rounds that come in parts."""

    def __init__(self) -> None:
        self.n, self.mean, self.spread = 0, np.zeros(4), np.zeros((4, 4))

    def add(self, columns: np.ndarray) -> None:
        """Add columns (4, m)."""
        m = columns.shape[1]
        mean = columns.mean(axis=1)
        left, gap = columns - mean[:, None], mean - self.mean
        total = self.n + m
        self.spread += left @ left.T + np.outer(gap, gap) * self.n * m / total
        self.mean += gap * m / total
        self.n = total

    def estimate(self) -> tuple[float, float, float]:
        """The estimate, its standard error, and that of its difference to r̄."""
        base, numerator, denominator, _ = self.mean
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = numerator / denominator
            slopes = np.array([1.0, 1 / denominator, -ratio / denominator, 0.0])
        own, difference = (
            float(np.sqrt(max(one @ self.spread @ one, 0.0)) / self.n) if denominator else np.nan
            for one in (slopes, slopes - [0, 0, 0, 1])
        )
        return float(base + ratio), own, difference


def evaluate_log(
    log: BanditLog, policies: Sequence[Policy], choice: Choice = Choice(), train: float = 0.5
) -> LogReport:
    """Evaluate policies on a log.

    Policies that are to learn do so from the first part of the rows, ``train`` of them, and all are
    then evaluated on the rest; if none learns, on all rows. Rows whose reward never arrived are
    left out.

    Raises
    ------
    ValueError
        If the log or a policy lacks what an estimator needs.
    """
    _check(log, choice)
    first = 0
    if any(policy.learns for policy in policies):
        if not 0 < train < 1:
            raise ValueError(f"train is {train}: give a number between 0 and 1")
        first = int(train * log.n_rows)
    for policy in policies:
        if isinstance(policy, AgentPolicy) and policy.learns:
            policy.learn(log, first)
    modelled = bool(set(choice.estimators) - {"ips", "snips"})
    models = None
    if modelled or choice.estimate_propensities:
        models = LogModels(log, first, choice.learns)
    sums = {policy.name: _Sums(choice, log.n_rows - first) for policy in policies}
    logged = Moments()
    for chunk in _from(log, first):
        come = chunk.arrived
        if not come.any():
            continue
        propensities: Any = chunk.propensity if chunk.propensities is None else chunk.propensities
        if choice.estimate_propensities and models is not None:
            propensities = models.propensities(chunk)
        rounds = Log(
            chunk.action[come],
            chunk.reward[come],
            None if propensities is None else propensities[come],
            models.predictions(chunk)[come] if models is not None and modelled else None,
        )
        zeros, ones = np.zeros(come.sum()), np.ones(come.sum())
        logged.add(np.stack([chunk.reward[come], zeros, ones, zeros]))
        for policy in policies:
            table = policy.probabilities(chunk)[come]
            sums[policy.name].add(checked(rounds, table))
    if not logged.n:
        raise ValueError(f"{log.name} has no row with a reward to evaluate on")
    reports = tuple(sums[policy.name].report(policy.name) for policy in policies)
    mean, error, _ = logged.estimate()
    limits = normal(mean, error, choice.level)
    remarks = _remarks(log, first, logged.n, models if modelled else None, choice, policies)
    return LogReport(log.name, logged.n, mean, *limits, reports, remarks)


class _Sums:
    """What is kept of the rounds of a log for a policy."""

    def __init__(self, choice: Choice, n_rounds: int):
        self._choice, self._cut = choice, 0
        self._plain = [name for name in choice.estimators if name in PLAIN]
        clips = (choice.clip, None) if choice.clip is not None else (None,)
        self._moments = {(name, clip): Moments() for name in self._plain for clip in clips}
        self._weights: WeightSums | None = None
        self._n_rounds = n_rounds
        self._whole: list[Rounds] | None = None
        if choice.interval != "normal" or len(self._plain) < len(choice.estimators):
            self._whole = []

    def add(self, rounds: Rounds) -> None:
        if rounds.propensity is not None:
            if self._weights is None:
                self._weights = WeightSums(self._n_rounds)
            weights = rounds.policy_weights
            self._weights.add(weights, rounds.propensity, unsupported(rounds))
            if self._choice.clip is not None:
                self._cut += int((weights > self._choice.clip).sum())
        for (name, clip), moments in self._moments.items():
            own = None if name == "direct" else clip
            columns = plain_columns(rounds, name, own)
            moments.add(np.concatenate([columns, rounds.rewards[None]]))
        if self._whole is not None:
            self._whole.append(rounds)

    def report(self, policy: str) -> PolicyReport:
        level, gain, limits = self._choice.level, np.nan, (np.nan, np.nan)
        evaluations = [self._evaluation(name) for name in self._choice.estimators]
        if (first := self._choice.estimators[0]) in PLAIN:
            moments = self._moments[first, self._choice.clip]
            value, _, error = moments.estimate()
            gain = value - float(moments.mean[3])
            limits = normal(gain, error, level)
        return PolicyReport(policy, tuple(evaluations), gain, *limits)

    def _evaluation(self, name: str) -> Evaluation:
        choice = self._choice
        clip = choice.clip if name in PLAIN and name != "direct" else None
        if name in ADAPTIVE or choice.interval != "normal":
            return self._of_all(name, clip)
        moments = self._moments[name, choice.clip]
        value, error, _ = moments.estimate()
        found, warnings = (), ()
        if clip is not None and self._cut:
            unclipped = self._moments[name, None].estimate()[0]
            found, warnings = clipping_remarks(value, unclipped, error, self._cut, clip)
        if choice.learns and name != "direct":
            warnings = (CHANGED, *warnings)
        limits = normal(value, error, choice.level)
        given = (name, "normal", choice.level)
        return result(value, limits, error, given, moments.n, self._weights, found, warnings)

    def _of_all(self, name: str, clip: float | None) -> Evaluation:
        assert self._whole is not None
        parts = {}
        for field in fields(Rounds):
            arrays = [getattr(rounds, field.name) for rounds in self._whole]
            parts[field.name] = None if arrays[0] is None else np.concatenate(arrays)
        rounds, interval = Rounds(**parts), self._choice.interval
        if name in ADAPTIVE and rounds.all_propensities is not None:
            interval, (policies, of_round) = "normal", policies_of_rows(rounds.all_propensities)
            rounds = replace(rounds, logging_policies=policies, policy_of_round=of_round)
        return evaluated(rounds, (name, interval, self._choice.level), clip)


def _check(log: BanditLog, choice: Choice) -> None:
    if not choice.estimators:
        raise ValueError("estimators are missing: give one or more")
    known = None if np.isnan(log.smallest_propensity) else log.smallest_propensity
    if choice.estimate_propensities and known is not None:
        raise ValueError(f"{log.name} has propensities: they need not be estimated")
    for name in choice.estimators:
        adaptive = name in ADAPTIVE
        check_choice(
            name, "normal" if adaptive else choice.interval, choice.level,
            None if adaptive or name == "direct" else choice.clip,
        )  # fmt: skip
        if not choice.estimate_propensities:
            check_propensities(name, known)
        whole = choice.interval != "normal" or adaptive
        most = MOST_ADAPTIVE if adaptive else MOST_WHOLE
        if whole and log.n_rows > most:
            what = name if adaptive else choice.interval
            raise ValueError(
                f"{what} needs all rows in memory, and is for at most {most:,} of them: "
                f"{log.name} has {log.n_rows:,}; take dr with the normal interval, or fewer rows"
            )
        if adaptive and (shape_shown(log) or "propensities" not in log.holds):
            raise ValueError(
                f"{name} needs the probabilities that each of the agent's policies had in all "
                "rounds, which a log has only if it has propensities of all actions and no "
                "context: take dr, or leaderboards.ope.evaluate with logging_policies"
            )


def _from(log: BanditLog, first: int) -> Iterator[LogChunk]:
    """The chunks of the rows from ``first`` on."""
    for chunk in log.chunks():
        skipped = max(first - (chunk.first_row - 1), 0)
        if skipped < len(chunk):
            yield chunk[skipped:]


def _remarks(
    log: BanditLog,
    first: int,
    n_rounds: int,
    models: LogModels | None,
    choice: Choice,
    policies: Sequence[Policy],
) -> tuple[str, ...]:
    found = []
    if learned := ", ".join(policy.name for policy in policies if policy.learns):
        found.append(f"{learned} learned from the first {first:,} rows, and all policies are "
                     "evaluated on the others")  # fmt: skip
    if dropped := log.n_rows - first - n_rounds:
        found.append(f"{dropped:,} rows, whose reward never arrived, are left out")
    if models is not None:
        how = "the rows before, in batches" if choice.learns else f"other rows, in {FOLDS} folds"
        sight = "; they see no features" if log.context == "played" or not shape_shown(log) else ""
        found.append(
            f"rewards are predicted by ridge regressions that were fitted to {how}, of "
            f"{models.n_sampled:,} rows{sight}"
        )
    if choice.estimate_propensities:
        found.append(ESTIMATED)
    return tuple(found)
