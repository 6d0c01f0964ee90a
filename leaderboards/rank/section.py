"""A ranking: the agents that play some tasks of a suite, compared only on these tasks.

What enters a ranking
---------------------
- The *seeds of a section* are the suite's seeds on which at least one agent was run. An agent is
  ranked if it has a result on every scored task for each of these seeds, so all ranked agents are
  compared on the same seeds. Every other agent is shown without a rank, with its results and the
  reason: dropping the seeds on which an agent failed would raise its score.
- The score of a task is the mean gain over uniform play on the same seeds, divided by the mean
  possible gain on the section's seeds. That of a ranking is the mean over its scored tasks (see
  `leaderboards.rank.scores_and_ranks`). Ranks follow these scores, on all tasks and on each one.
- A task is not scored if that mean is less than twice its standard error, or if a baseline is
  missing (see `leaderboards.rank.scale`).
- An agent with full information is a reference: it is scored but never ranked.
- An agent that can play none of the tasks is not listed.
- Only rows of the section's tasks count: failures on other tasks have no effect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboards.rank import interval_estimates, scores_and_ranks
from leaderboards.rank.entries import Entry
from leaderboards.rank.scale import Scale, scale_of
from leaderboards.rank.standing import Interval, Place, Standing, intervals, standing
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

THRESHOLDS = 121
# Resamples never leave the range of the data: in simulations with exponential regret, 95 %
# intervals contained the true value in 49 % of cases with two seeds, 71 % with three and 87 % with
# five.
ENOUGH = 5


@dataclass(frozen=True)
class Profile:
    """For each label, the share of episodes that score above each threshold."""

    thresholds: tuple[float, ...]
    shares: dict[str, tuple[Interval, ...]]


@dataclass(frozen=True)
class Pairs:
    """Comparisons of all pairs of agents on common seeds.

    ``improvement[j][k]`` is the probability that j beats k on a seed of a task, where a tie counts
    half. ``difference[j][k]`` is j's overall score minus k's.
    """

    labels: tuple[str, ...]
    improvement: tuple[tuple[Interval, ...], ...]
    difference: tuple[tuple[Interval, ...], ...]


@dataclass(frozen=True)
class Section:
    """How the agents that play some tasks compare.

    Attributes
    ----------
    name : str
        The family of the tasks, or "overall".
    tasks : tuple of SuiteTask
        In the suite's order.
    seeds : tuple of int
        The seeds of the section; complete agents have played all of them.
    scales : dict of str to Scale
        By task, if baseline and best are known on these seeds.
    unscored : dict of str to str
        Tasks that do not count, with the reason.
    standings : tuple of Standing
        Ranked agents, best first; then references; then the others.
    profile, pairs : Profile or None, Pairs or None
        Both are None if no agent is complete, and where they were not asked for.
    notes : tuple of str
        Notes that a reader needs to judge the numbers.
    """

    name: str
    tasks: tuple[SuiteTask, ...]
    seeds: tuple[int, ...]
    scales: dict[str, Scale]
    unscored: dict[str, str]
    standings: tuple[Standing, ...]
    profile: Profile | None
    pairs: Pairs | None
    notes: tuple[str, ...]

    def baseline(self, task: SuiteTask) -> float | None:
        """Mean of uniform play on a task after the last round; None if it is not known."""
        scale = self.scales.get(task.name)
        return None if scale is None else scale.baseline


def section(
    name: str,
    suite: Suite,
    tasks: Sequence[SuiteTask],
    entries: Sequence[Entry],
    baselines: Mapping[str, Baselines],
    *,
    compared: bool = True,
) -> Section:
    """Rank agents on some tasks of a suite.

    Parameters
    ----------
    entries : sequence of Entry
        Agents sorted by label, with their rows on any tasks.
    baselines : mapping of str to Baselines
        By task, the measures that score 0 and 1.
    compared : bool
        Whether to make the profile and the pairs.
    """
    entries = [own for entry in entries if (own := entry.on(tasks)) is not None]
    tried = {row.seed for entry in entries for row in entry.rows if not row.refused}
    seeds = tuple(seed for seed in suite.seeds if seed in tried)
    found = {task.name: scale_of(task, baselines[task.name], seeds) for task in tasks}
    scales = {name: scale for name, (scale, _) in found.items() if scale is not None}
    unscored = {name: reason for name, (_, reason) in found.items() if reason is not None}
    scored = [task for task in tasks if task.name in scales and task.name not in unscored]
    counted = {task.name: scales[task.name] for task in scored}
    finals = {entry.label: entry.finals(scored, seeds) for entry in entries}  # (S, M) each
    whole = {label: own for label, own in finals.items() if own.size and np.isfinite(own).all()}
    places: dict[str, Place] = {}
    profile = pairs = None
    if whole:
        contested = [e.label for e in entries if e.label in whole and not e.full_information]
        uniform = np.array([scale.uniform for scale in counted.values()]).T  # (S, M)
        gaps = np.stack([scale.gaps for scale in counted.values()], axis=-1)
        gains = {label: uniform - own for label, own in whole.items()}
        draws = scores_and_ranks.score_draws(np.stack(list(gains.values())), gaps)  # (B, L, M)
        places = _places(gains, gaps, draws, list(counted), contested)
        if compared:
            best_first = sorted(gains, key=lambda label: (-places[label].score.value, label))
            table = np.stack([gains[label] for label in best_first])  # (L, S, M)
            drawn = draws[:, [list(gains).index(label) for label in best_first]]
            profile = _profile(best_first, table, gaps)
            pairs = _pairs(best_first, table, gaps, drawn)
    standings = [
        standing(entry, tasks, seeds, counted, places.get(entry.label)) for entry in entries
    ]
    return Section(
        name=name,
        tasks=tuple(tasks),
        seeds=seeds,
        scales=scales,
        unscored=unscored,
        standings=tuple(sorted(standings, key=_order)),
        profile=profile,
        pairs=pairs,
        notes=_notes(suite, seeds, entries),
    )


def _places(
    gains: dict[str, np.ndarray],
    gaps: np.ndarray,
    draws: np.ndarray,
    tasks: list[str],
    contested: list[str],
) -> dict[str, Place]:
    """Scores of all agents and ranks of the contested ones, from gains (S, M) by label.

    ``draws`` (B, L, M) are those of the scores of ``tasks``.
    """
    labels, n_seeds = list(gains), len(gaps)
    table = np.stack(list(gains.values()))  # (L, S, M)
    value = scores_and_ranks.task_scores(table, gaps)
    scores = value.mean(axis=-1), draws.mean(axis=-1)
    estimate = interval_estimates.percentile_interval(*scores, n_seeds=n_seeds)
    quartiles = np.quantile(scores_and_ranks.scored(table, gaps), (0.25, 0.75), axis=(-2, -1))

    def ranks(value: np.ndarray, draws: np.ndarray) -> dict[str, tuple[int, int]]:
        own = [labels.index(label) for label in contested]
        found = scores_and_ranks.rank_intervals(value[own], draws[:, own], n_seeds=n_seeds).tolist()
        return {label: (first, last) for label, (first, last) in zip(contested, found, strict=True)}

    overall = ranks(*scores)
    by_task = [ranks(value[:, m], draws[..., m]) for m in range(len(tasks))]
    return {
        label: Place(
            score,
            (float(low), float(high)),
            overall.get(label),
            {name: own[label] for name, own in zip(tasks, by_task, strict=True) if label in own},
        )
        for label, score, low, high in zip(labels, intervals(estimate), *quartiles, strict=True)
    }


def _notes(suite: Suite, seeds: tuple[int, ...], entries: list[Entry]) -> tuple[str, ...]:
    notes = []
    if entries and len(seeds) < suite.n_seeds:
        notes.append(f"scored on {len(seeds)} of the suite's {suite.n_seeds} seeds")
    if len(seeds) == 1:
        notes.append("one seed gives no intervals and separates no ranks")
    elif 1 < len(seeds) < ENOUGH:
        notes.append(f"intervals of fewer than {ENOUGH} seeds are too short to be relied on")
    contradictions = sum(len(entry.contradictions) for entry in entries)
    if contradictions:
        notes.append(
            f"{contradictions} episodes are stored more than once with different numbers, of which "
            "one is shown: an environment or an agent is not deterministic, or machines differ"
        )
    return tuple(notes)


def _profile(labels: list[str], gains: np.ndarray, gaps: np.ndarray) -> Profile:
    cells = scores_and_ranks.scored(gains, gaps)
    # Scores below -1, twice the baseline's regret, are not drawn but are counted.
    thresholds = np.linspace(min(0.0, max(-1.0, cells.min())), 1.0, THRESHOLDS)
    estimate = scores_and_ranks.performance_profile(gains, gaps, thresholds)
    shares = dict(zip(labels, intervals(estimate), strict=True))
    return Profile(tuple(thresholds.tolist()), shares)


def _pairs(labels: list[str], gains: np.ndarray, gaps: np.ndarray, draws: np.ndarray) -> Pairs:
    cells = scores_and_ranks.scored(gains, gaps)
    improvement = scores_and_ranks.probability_of_improvement(cells[:, None], cells[None, :])
    scores = scores_and_ranks.task_scores(gains, gaps).mean(axis=-1), draws.mean(axis=-1)
    difference = scores_and_ranks.paired_differences(*scores, n_seeds=len(gaps))
    return Pairs(tuple(labels), intervals(improvement), intervals(difference))


def _order(line: Standing) -> tuple:
    """Sort key: ranked agents, then references, then agents with results, then the rest."""
    played = any(result.seeds for result in line.tasks.values())
    if line.rank is not None:
        place = 0
    elif line.score is not None:
        place = 1
    else:
        place = 2 if played else 3
    return place, -line.score.value if line.score else 0.0, line.label
