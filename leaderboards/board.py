"""From rows of the store to a leaderboard: who is ranked, by what numbers, and who is not and why.

A board is plain data: equal rows, in any order, give equal boards bit for bit, times aside.

What enters a ranking
---------------------
- The *seeds of a board* are those of the suite that any of its rows ran. A learner is ranked if it
  has a result on every scored task for every one of them, so all ranked learners stand on common
  seeds. Any other learner is shown with what it has, unranked, with the reason: leaving out the
  seeds on which a learner failed would flatter it.
- A task is not scored where baseline and best differ by less than the noise of the baseline.
- A learner with full information is a reference: scored, never ranked.
- Of several attempts at one cell a success wins. Successes that differ are told in ``notes``.
- Rows of one label but different sources or hyperparameters are different learners, and their
  labels then show the hash.

Intervals are at 95 %: of overall and family scores by the stratified bootstrap, of single tasks
and of curves by Student's t over the seeds (see `leaderboards.statistics`).
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboards import statistics
from leaderboards.entries import Entry, by_learner, task_score
from leaderboards.store import Row
from leaderboards.suite import Suite, SuiteTask

THRESHOLDS = 121


@dataclass(frozen=True)
class Interval:
    """A number with the limits of its 95 % interval, None where one seed cannot give any."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curve:
    """A learner's cumulative measure on one task: mean over seeds at some rounds, with limits."""

    rounds: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None


@dataclass(frozen=True)
class Result:
    """One learner on one task.

    Attributes
    ----------
    seeds : int
        Seeds with a result; below the board's number the learner is incomplete here.
    measure : Interval or None
        Mean over these seeds of the task's measure after the last round, in its own unit.
    score : Interval or None
        The same as a score; None as well if the task is not scored.
    curve : Curve or None
    failures : int
        Seeds on which the learner failed.
    refusal : str or None
        Why the learner cannot play this task.
    microseconds : float or None
        CPU time a round of one replicate, the learner's part (see `Standing.timing`).
    bytes : int or None
        State of one replicate after the last round.
    """

    seeds: int
    measure: Interval | None
    score: Interval | None
    curve: Curve | None
    failures: int
    refusal: str | None
    microseconds: float | None
    bytes: int | None


@dataclass(frozen=True)
class Standing:
    """One learner on the whole suite: a line of the table.

    Attributes
    ----------
    rank : (int, int) or None
        First and last rank that the data do not rule out; None if not ranked.
    unranked : str or None
        Why not.
    score : Interval or None
        Interquartile mean over all scored cells; None if any is missing.
    families : dict of str to Interval or None
        The same for the tasks of one family, whichever of them are complete.
    timing : "learner" or "total"
        Whether the times are the learner's own or include the world, where both ran as one block.
    microseconds : float or None
        Mean over the tasks of the median over the seeds.
    bytes : int or None
        The largest over the tasks.
    messages : dict of str to int
        What went wrong, with the number of cells.
    facts : tuple of str
        Hyperparameters that the learner took from the task.
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
    families: dict[str, Interval | None]
    tasks: dict[str, Result]
    timing: str
    microseconds: float | None
    bytes: int | None
    failures: int
    messages: dict[str, int]


@dataclass(frozen=True)
class Profile:
    """The share of cells above each threshold, per label."""

    thresholds: tuple[float, ...]
    shares: dict[str, tuple[Interval, ...]]


@dataclass(frozen=True)
class Pairs:
    """Row against column, on common seeds.

    ``improvement[j][k]`` is the probability that j beats k on a seed of a task, ties half, and
    ``difference[j][k]`` how far j's overall score is above k's.
    """

    labels: tuple[str, ...]
    improvement: tuple[tuple[Interval, ...], ...]
    difference: tuple[tuple[Interval, ...], ...]


@dataclass(frozen=True)
class Board:
    """A leaderboard, complete enough for every output to be drawn from it alone.

    Attributes
    ----------
    standings : tuple of Standing
        Ranked learners, best first; then references; then the others.
    unscored : dict of str to str
        Tasks that do not count, with the reason.
    notes : tuple of str
        What a reader has to know beyond the numbers.
    """

    suite: Suite
    seeds: tuple[int, ...]
    families: tuple[str, ...]
    unscored: dict[str, str]
    standings: tuple[Standing, ...]
    profile: Profile | None
    pairs: Pairs | None
    data: dict[str, str]
    notes: tuple[str, ...]


def build(suite: Suite, rows: Iterable[Row]) -> Board:
    """Reduce rows to a leaderboard.

    Parameters
    ----------
    suite : Suite
    rows : iterable of Row
        In any order. Rows of other suites and of seeds beyond this one's are left out.

    Returns
    -------
    Board

    Raises
    ------
    ValueError
        If a row of this suite names a task that the suite does not hold.
    """
    wanted = {-1, *suite.seeds}  # -1: refusals
    rows = [row for row in rows if row.suite == suite.hash and row.seed in wanted]
    tasks = {task.name: task for task in suite.tasks}
    for row in rows:
        if row.task not in tasks:
            raise ValueError(f"suite {suite.name} has no task {row.task!r}, which a row names")
    unscored = {task.name: why for task in suite.tasks if (why := _unscored(task))}
    scored = [task for task in suite.tasks if task.name not in unscored]
    tried = {row.seed for row in rows if not row.refused}
    seeds = tuple(seed for seed in suite.seeds if seed in tried)
    families = tuple(dict.fromkeys(task.family for task in suite.tasks))

    entries = by_learner(rows, tasks)
    cells = {entry.label: entry.scores(scored, seeds) for entry in entries}  # (S, M) each
    whole = {label: own for label, own in cells.items() if own.size and np.isfinite(own).all()}
    overall: dict[str, Interval] = {}
    ranks: dict[str, tuple[int, int]] = {}
    profile = pairs = None
    if whole:
        contested = [e.label for e in entries if e.label in whole and not e.full_information]
        overall, ranks = _rank(whole, contested)
        best_first = sorted(whole, key=lambda label: (-overall[label].value, label))
        table = np.stack([whole[label] for label in best_first])  # (L, S, M)
        profile, pairs = _profile(best_first, table), _pairs(best_first, table)
    standings = [
        _standing(
            entry,
            _results(entry, suite, seeds, unscored),
            {family: _family(entry, family, scored, seeds) for family in families},
            ranks.get(entry.label),
            overall.get(entry.label),
            _why_unranked(entry, scored, seeds),
        )
        for entry in entries
    ]
    return Board(
        suite=suite,
        seeds=seeds,
        families=families,
        unscored=unscored,
        standings=tuple(sorted(standings, key=_order)),
        profile=profile,
        pairs=pairs,
        data=dict(sorted({item for row in rows for item in row.data.items()})),
        notes=_notes(suite, seeds, entries),
    )


def _unscored(task: SuiteTask) -> str | None:
    if task.scored:
        return None
    if math.isnan(task.baseline):
        return "the suite holds no baseline for it"
    return (
        f"baseline {task.baseline:.4g} and best {task.best:.4g} differ by less than the "
        f"baseline's noise, {task.noise:.2g}"
    )


def _rank(
    cells: dict[str, np.ndarray], contested: list[str]
) -> tuple[dict[str, Interval], dict[str, tuple[int, int]]]:
    """Overall scores of all, ranks of the contested; cells (S, M) by label."""
    labels = list(cells)
    table = np.stack(list(cells.values()))  # (L, S, M)
    n_seeds = table.shape[1]
    draws = statistics.bootstrap(table)
    value = statistics.interquartile_mean(table)
    estimate = statistics.percentile_interval(value, draws, n_seeds=n_seeds)
    places = [labels.index(label) for label in contested]
    ranks = statistics.rank_intervals(value[places], draws[:, places], n_seeds=n_seeds).tolist()
    return (
        dict(zip(labels, _intervals(estimate), strict=True)),
        {label: (first, last) for label, (first, last) in zip(contested, ranks, strict=True)},
    )


def _standing(
    entry: Entry,
    results: dict[str, Result],
    families: dict[str, Interval | None],
    rank: tuple[int, int] | None,
    score: Interval | None,
    unranked: str,
) -> Standing:
    rows = sorted(entry.rows, key=lambda row: row.spec)
    times = [r.microseconds for r in results.values() if r.microseconds is not None]
    if score is not None:
        unranked = "has full information: a reference"
    return Standing(
        label=entry.label,
        spec=rows[0].spec,
        hyperparameters=rows[0].hyperparameters,
        sources=rows[0].sources,
        paper=min((row.paper for row in rows if row.paper), default=None),
        facts=tuple(sorted({fact for row in rows for fact in row.facts})),
        full_information=entry.full_information,
        rank=rank,
        unranked=None if rank else unranked,
        score=score,
        families=families,
        tasks=results,
        timing="total" if any(map(_is_total, entry.good.values())) else "learner",
        microseconds=float(np.mean(times)) if times else None,
        bytes=max((r.bytes for r in results.values() if r.bytes is not None), default=None),
        failures=len(entry.errors),
        messages=dict(sorted(Counter(entry.errors.values()).items())),
    )


def _results(
    entry: Entry, suite: Suite, seeds: tuple[int, ...], unscored: dict[str, str]
) -> dict[str, Result]:
    results = {}
    for task in suite.tasks:
        rows = [row for seed in seeds if (row := entry.good.get((task.name, seed)))]
        measure = score = curve = None
        if rows:
            curves = np.array([(row.measures or {})[task.measure] for row in rows])  # (S, c)
            curve = _curve(rows[0].rounds or [], curves)
            measure = _interval(statistics.mean_interval(curves[:, -1]))
            if task.name not in unscored:
                score = _interval(statistics.mean_interval(task_score(task, curves[:, -1])))
        times = [seconds for row in rows if (seconds := _seconds(row)) is not None]
        results[task.name] = Result(
            seeds=len(rows),
            measure=measure,
            score=score,
            curve=curve,
            failures=sum(name == task.name for name, _ in entry.errors),
            refusal=entry.refusals.get(task.name),
            microseconds=float(np.median(times)) * 1e6 if times else None,
            bytes=max((row.bytes for row in rows if row.bytes is not None), default=None),
        )
    return results


def _family(
    entry: Entry, family: str, scored: list[SuiteTask], seeds: tuple[int, ...]
) -> Interval | None:
    cells = entry.scores([task for task in scored if task.family == family], seeds)
    if not (cells.size and np.isfinite(cells).all()):
        return None
    return _interval(statistics.stratified_bootstrap_interval(cells))


def _why_unranked(entry: Entry, scored: list[SuiteTask], seeds: tuple[int, ...]) -> str:
    """Which cells are missing, and why."""
    if not scored:
        return "no task of the suite is scored"
    played = [task.name for task in scored if task.name not in entry.refusals]
    cells = [(name, seed) for name in played for seed in seeds]
    failed = sum(cell in entry.errors for cell in cells)
    missing = sum(cell not in entry.errors and cell not in entry.good for cell in cells)
    reasons = []
    if len(played) < len(scored):
        reasons.append(f"cannot play {len(scored) - len(played)} of {len(scored)} tasks")
    if failed:
        reasons.append(f"failed in {failed} of {len(cells)} cells")
    if missing:
        reasons.append(f"not yet run in {missing} of {len(cells)} cells")
    return ", ".join(reasons)


def _notes(suite: Suite, seeds: tuple[int, ...], entries: list[Entry]) -> tuple[str, ...]:
    notes = []
    if entries and len(seeds) < suite.n_seeds:
        notes.append(f"scored on {len(seeds)} of the suite's {suite.n_seeds} seeds")
    if len(seeds) == 1:
        notes.append("one seed gives no intervals and separates no ranks")
    contradictions = sum(entry.contradictions for entry in entries)
    if contradictions:
        notes.append(
            f"{contradictions} cells are stored more than once with different numbers, of which "
            "one is shown: a world or a learner is not deterministic, or machines differ"
        )
    return tuple(notes)


def _curve(rounds: list[int], values: np.ndarray) -> Curve:
    mean, low, high = statistics.mean_interval(values)
    limits = len(values) > 1
    return Curve(
        rounds=tuple(rounds),
        mean=tuple(mean.tolist()),
        low=tuple(low.tolist()) if limits else None,
        high=tuple(high.tolist()) if limits else None,
    )


def _is_total(row: Row) -> bool:
    """Whether world and learner ran as one block: the second time is then missing."""
    return row.seconds is not None and (row.seconds[1] is None or math.isnan(row.seconds[1]))


def _seconds(row: Row) -> float | None:
    """CPU seconds a round: the learner's, or the total where it was not taken apart."""
    if row.seconds is None:
        return None
    return row.seconds[0] if _is_total(row) else row.seconds[1]


def _profile(labels: list[str], cells: np.ndarray) -> Profile:
    # Scores below -1, twice the baseline's regret, are out of the picture but not of the counts.
    thresholds = np.linspace(min(0.0, max(-1.0, cells.min())), 1.0, THRESHOLDS)
    estimate = statistics.performance_profile(cells, thresholds)
    shares = {
        label: tuple(_intervals(statistics.Estimate(*(part[j] for part in estimate))))
        for j, label in enumerate(labels)
    }
    return Profile(tuple(thresholds.tolist()), shares)


def _pairs(labels: list[str], cells: np.ndarray) -> Pairs:
    improvement = statistics.probability_of_improvement(cells[:, None], cells[None, :])
    difference = statistics.paired_differences(cells)
    by_row = [
        tuple(
            tuple(_intervals(statistics.Estimate(*(part[j] for part in estimate))))
            for j in range(len(labels))
        )
        for estimate in (improvement, difference)
    ]
    return Pairs(tuple(labels), *by_row)


def _interval(estimate: statistics.Estimate) -> Interval:
    value, low, high = (float(part) for part in estimate)
    if math.isnan(low):
        return Interval(value, None, None)
    return Interval(value, low, high)


def _intervals(estimate: statistics.Estimate) -> list[Interval]:
    return [_interval(statistics.Estimate(*parts)) for parts in zip(*estimate, strict=True)]


def _order(standing: Standing) -> tuple:
    """Ranked, then references, then those that have results, then those that cannot play."""
    played = any(result.seeds for result in standing.tasks.values())
    if standing.rank is not None:
        place = 0
    elif standing.score is not None:
        place = 1
    else:
        place = 2 if played else 3
    value = standing.score.value if standing.score else 0.0
    return place, -value, standing.label
