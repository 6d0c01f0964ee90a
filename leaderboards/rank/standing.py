"""The results of one agent on some tasks, and its line in the table.

All intervals cover 95 %. Intervals of overall scores come from the stratified bootstrap, those of
the score of one task from the ratio estimator, those of curves from Student's t over the seeds (see
`leaderboards.rank.scores_and_ranks`).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.files.class_paths import names_own
from leaderboards.rank import interval_estimates
from leaderboards.rank.entries import Entry, last_of
from leaderboards.rank.interval_estimates import Estimate
from leaderboards.rank.scale import Scale, unclear
from leaderboards.run.impossible import possible_range
from leaderboards.run.store.store import Row
from leaderboards.suites.suite import SuiteTask


@dataclass(frozen=True)
class Interval:
    """A number with the limits of its 95 % interval; with one seed the limits are None."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Place:
    """Where an agent with every result of a section stands in it.

    Attributes
    ----------
    score : Interval
        Mean over the tasks of the scores of the tasks.
    quartiles : tuple of two floats
        Of the scores of all episodes.
    rank : (int, int) or None
        First and last rank that the data do not rule out; None for a reference.
    by_task : dict of str to (int, int)
        The same on each scored task alone; empty for a reference.
    """

    score: Interval
    quartiles: tuple[float, float]
    rank: tuple[int, int] | None
    by_task: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Curve:
    """An agent's cumulative measure on one task: its mean over seeds, with limits, by rounds."""

    rounds: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None


@dataclass(frozen=True)
class Result:
    """The results of one agent on one task.

    Attributes
    ----------
    seeds : int
        Number of seeds with a result. If it is below the section's, the agent is incomplete here.
    measure : Interval or None
        Mean over these seeds of the task's measure after the last round, in its own unit.
    difference : Interval or None
        Mean over the seeds that both have of this measure minus that of the task's twin; None if it
        has no twin.
    score : Interval or None
        The gain over uniform play on these seeds, as a share of the possible gain on them. Also
        None if the task is not scored, or would not be scored on these seeds alone.
    rank : (int, int) or None
        First and last rank on this task, among the agents that are ranked in the section.
    failures : int
        Number of seeds on which the agent failed.
    refusal : str or None
        Why the agent cannot play this task.
    microseconds : float or None
        The agent's CPU time per round of one replicate (see `Standing.timing`).
    bytes : int or None
        Size of the agent's state per replicate after the last round.
    """

    seeds: int
    measure: Interval | None
    difference: Interval | None
    score: Interval | None
    rank: tuple[int, int] | None
    curve: Curve | None
    failures: int
    refusal: str | None
    microseconds: float | None
    bytes: int | None


@dataclass(frozen=True)
class Standing:
    """One agent on all tasks of a section: a line of the table.

    Attributes
    ----------
    rank : (int, int) or None
        First and last rank that the data do not rule out; None if the agent is not ranked.
    unranked : str or None
        Why it is not ranked.
    score : Interval or None
        Mean over the scored tasks of their scores; None if any episode is missing.
    quartiles : (float, float) or None
        Of the scores of all episodes.
    timing : "agent" or "total"
        "total" if the times include the environment, because both ran as one block of rounds.
    microseconds : float or None
        Mean over the tasks of the median over the seeds.
    bytes : int or None
        The largest over the tasks.
    messages : dict of str to int
        The errors, each with its number of episodes.
    facts : tuple of str
        Hyperparameters that the agent took from the task.
    """

    label: str
    spec: str
    hyperparameters: dict[str, Any]
    sources: str
    paper: str | None
    facts: tuple[str, ...]
    full_information: bool
    rank: tuple[int, int] | None
    unranked: str | None
    score: Interval | None
    quartiles: tuple[float, float] | None
    tasks: dict[str, Result]
    timing: str
    microseconds: float | None
    bytes: int | None
    failures: int
    messages: dict[str, int]

    @property
    def third_party(self) -> bool:
        """Whether the agent is third-party code."""
        return not names_own(self.spec)


def standing(
    entry: Entry,
    tasks: Sequence[SuiteTask],
    seeds: Sequence[int],
    scales: Mapping[str, Scale],
    place: Place | None,
) -> Standing:
    """Make an agent's line of the table from its entry and its place, if it has every result.

    ``scales`` has the scored tasks on these seeds.
    """
    rows = sorted(entry.rows, key=lambda row: row.spec)
    ranks = {} if place is None else place.by_task
    results = {
        task.name: _result(entry, task, seeds, scales.get(task.name), ranks.get(task.name))
        for task in tasks
    }
    times = [r.microseconds for r in results.values() if r.microseconds is not None]
    rank, unranked = place and place.rank, None
    if rank is None:
        reference = "has full information: a reference" if entry.full_information else ""
        scored = [task for task in tasks if task.name in scales]
        unranked = ", ".join(filter(None, (reference, _incomplete(entry, scored, seeds))))
    return Standing(
        label=entry.label,
        spec=rows[0].spec,
        hyperparameters=rows[0].hyperparameters,
        sources=rows[0].sources,
        paper=min((row.paper for row in rows if row.paper), default=None),
        facts=tuple(sorted({fact for row in rows for fact in row.facts})),
        full_information=entry.full_information,
        rank=rank,
        unranked=unranked,
        score=place and place.score,
        quartiles=place and place.quartiles,
        tasks=results,
        timing="total" if any(map(_is_total, entry.good.values())) else "agent",
        microseconds=float(np.mean(times)) if times else None,
        bytes=max((r.bytes for r in results.values() if r.bytes is not None), default=None),
        failures=len(entry.errors),
        messages=dict(sorted(Counter(entry.errors.values()).items())),
    )


def interval(estimate: Estimate) -> Interval:
    """An estimate of one number as plain data."""
    value, low, high = (float(part) for part in estimate)
    if math.isnan(low):
        return Interval(value, None, None)
    return Interval(value, low, high)


def intervals(estimate: Estimate) -> Any:
    """The estimates of an array as plain data: nested tuples of `Interval`, as deep as it is."""
    if np.ndim(estimate.value) == 0:
        return interval(estimate)
    return tuple(intervals(Estimate(*parts)) for parts in zip(*estimate, strict=True))


def _result(
    entry: Entry,
    task: SuiteTask,
    seeds: Sequence[int],
    scale: Scale | None,
    rank: tuple[int, int] | None,
) -> Result:
    there = [s for s, seed in enumerate(seeds) if (task.name, seed) in entry.good]
    rows = [entry.good[task.name, seeds[s]] for s in there]
    measure = score = curve = None
    if rows:
        curves = np.array([(row.measures or {})[task.measure] for row in rows])  # (S, c)
        curve = curve_of(rows[0].rounds or [], curves, task.family, task.measure)
        within = possible_range(task.family, task.measure, task.horizon)
        measure = interval(interval_estimates.mean_interval(curves[:, -1], within=within))
        own = None if scale is None else scale.on(there)
        if own is not None and unclear(task, own) is None:
            gains, possible = np.array(own.uniform) - curves[:, -1], own.gaps.mean()
            least, most = sorted(float((own.baseline - end) / possible) for end in within)
            found = interval_estimates.ratio_interval(gains, own.gaps, within=(least, most))
            score = interval(found)
    times = [seconds for row in rows if (seconds := _seconds(row)) is not None]
    return Result(
        seeds=len(rows),
        measure=measure,
        difference=_difference(entry, task, seeds),
        score=score,
        rank=rank,
        curve=curve,
        failures=sum(name == task.name for name, _ in entry.errors),
        refusal=entry.refusals.get(task.name),
        microseconds=float(np.median(times)) * 1e6 if times else None,
        bytes=max((row.bytes for row in rows if row.bytes is not None), default=None),
    )


def _difference(entry: Entry, task: SuiteTask, seeds: Sequence[int]) -> Interval | None:
    both = [
        (entry.good[task.name, seed], entry.good[task.twin, seed])
        for seed in seeds
        if task.twin and {(task.name, seed), (task.twin, seed)} <= entry.good.keys()
    ]
    if not both:
        return None
    differences = [last_of(own, task) - last_of(other, task) for own, other in both]
    return interval(interval_estimates.mean_interval(np.array(differences)))


def _incomplete(entry: Entry, scored: Sequence[SuiteTask], seeds: Sequence[int]) -> str:
    """How many episodes of the scored tasks are missing, and why; empty if none are."""
    if not scored:
        return "no task here is scored"
    played = [task.name for task in scored if task.name not in entry.refusals]
    cells = [(name, seed) for name in played for seed in seeds]
    failed = sum(cell in entry.errors for cell in cells)
    missing = sum(cell not in entry.errors and cell not in entry.good for cell in cells)
    reasons = []
    if len(played) < len(scored):
        reasons.append(f"cannot play {len(scored) - len(played)} of {len(scored)} tasks")
    if failed:
        reasons.append(f"failed in {failed} of {len(cells)} episodes")
    if missing:
        reasons.append(f"not yet run in {missing} of {len(cells)} episodes")
    return ", ".join(reasons)


def curve_of(rounds: list[int], values: np.ndarray, family: str, measure: str) -> Curve:
    """The curve of a measure (S, c) at these rounds."""
    within = possible_range(family, measure, rounds)
    mean, low, high = interval_estimates.mean_interval(values, within=within)
    limits = len(values) > 1
    return Curve(
        rounds=tuple(rounds),
        mean=tuple(mean.tolist()),
        low=tuple(low.tolist()) if limits else None,
        high=tuple(high.tolist()) if limits else None,
    )


def _is_total(row: Row) -> bool:
    """Whether environment and agent ran as one block, so that only their total is known."""
    return row.seconds is not None and (row.seconds[1] is None or math.isnan(row.seconds[1]))


def _seconds(row: Row) -> float | None:
    """The agent's CPU seconds per round, or the total if only that is known."""
    if row.seconds is None:
        return None
    return row.seconds[0] if _is_total(row) else row.seconds[1]
