"""Tuned settings of agents, and the rankings in which every agent plays its tuned setting.

A setting is tuned for a family on the tuning seeds (see `leaderboards.suites.seed_ranges`), and
scored here on the suite's seeds. An agent whose defaults were kept, or that has nothing to tune,
has the same score in both columns. An agent that may have something to tune and was not tuned has
no place beside agents that were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from leaderboards.rank import scores_and_ranks
from leaderboards.rank.board import Board, build
from leaderboards.rank.entries import finals
from leaderboards.rank.section import Section
from leaderboards.rank.standing import Interval, intervals
from leaderboards.rank.tuned_records import Tuned, TunedStanding
from leaderboards.run.store.store import Row
from leaderboards.suites.suite import Suite
from leaderboards.suites.suite_tables import OVERALL


def with_tuned(board: Board, rows: Iterable[Row], found: Sequence[Tuned]) -> Board:
    """The board with its tuned rankings.

    Parameters
    ----------
    board : Board
        The board of the defaults.
    rows : iterable of Row
        Results of the suite, of defaults and of tuned settings.
    found : sequence of Tuned
        The tuned settings, at most one for each agent and family.

    Raises
    ------
    ValueError
        If a row of a tuned setting has a seed that its tuning saw, or a setting was tuned for
        another suite.
    """
    rows, suite = list(rows), board.suite
    for one in found:
        if one.suite != suite.hash:
            raise ValueError(f"{one.agent} was tuned for another suite than {suite.name}")
    refuse_seen(suite, rows, found)
    families = {task.name: task.family for task in suite.tasks}
    tuned = {(one.agent, one.family) for one in found}
    kept = [
        row
        for row in tuned_rows(suite, rows, found)
        if (row.agent, families.get(row.task)) in tuned or not _has_space(row.spec)
    ]
    sections = {
        section.name: section
        for part in by_family(suite, kept)
        for section in part.sections
        if section.name != OVERALL
    }
    rankings = {
        section.name: _standings(section, sections[section.name], rows, found)
        for section in board.sections
        if section.name != OVERALL and section.name in sections
    }
    return replace(board, tuned={name: own for name, own in rankings.items() if own})


def by_family(suite: Suite, rows: Sequence[Row]) -> list[Board]:
    """A board for each family: an agent has other hyperparameters in each, under one label."""
    boards = []
    for part in map(suite.of, suite.families):
        names = {task.name for task in part.tasks}
        boards.append(build(part, [row for row in rows if row.task in names], compared=False))
    return boards


def refuse_seen(suite: Suite, rows: Iterable[Row], found: Sequence[Tuned]) -> None:
    """Refuse rows of tuned settings on seeds that their tuning saw: such scores are too high.

    Raises
    ------
    ValueError
        The message names the first such row.
    """
    families = {task.name: task.family for task in suite.tasks}
    by_setting = {(one.tuned, one.family): one for one in found if one.setting}
    for row in rows:
        one = by_setting.get((row.spec, families.get(row.task, "")))
        if one is not None and one.saw(row.seed):
            raise ValueError(f"{row.spec} on {row.task}: it was tuned on seed {row.seed}")


def tuned_rows(suite: Suite, rows: Iterable[Row], found: Sequence[Tuned]) -> list[Row]:
    """The rows of agents as they are tuned, each under the label of its defaults.

    Rows of the defaults stay where these were kept, and where there is nothing to tune.
    """
    families = {task.name: task.family for task in suite.tasks}
    defaults = {(one.spec, one.family) for one in found if one.setting}
    settings = {(one.tuned, one.family): one.agent for one in found if one.setting}
    tuned = {spec for spec, _ in settings}
    chosen = []
    for row in rows:
        place = (row.spec, families.get(row.task, ""))
        if place in settings:
            chosen.append(replace(row, agent=settings[place]))
        elif place not in defaults and row.spec not in tuned:  # not of another family either
            chosen.append(row)
    return chosen


def _has_space(spec: str) -> bool:
    """Whether an agent may have something to tune; that of others is not imported to ask it."""
    from agents.naming import own_agents

    own = own_agents().get(spec.partition("(")[0])
    return own is None or bool(own.search)


def _standings(
    before: Section, after: Section, rows: Sequence[Row], found: Sequence[Tuned]
) -> tuple[TunedStanding, ...]:
    """The tuned ranking of a section, best first; empty if no agent of it was tuned."""
    family = before.tasks[0].family
    records = {one.agent: one for one in found if one.family == family}
    defaults = {one.label: one.score for one in before.standings if one.score is not None}
    standings = []
    for standing in after.standings:
        default = defaults.get(standing.label)
        if standing.rank is None or standing.score is None or default is None:
            continue
        one = records.get(standing.label)
        own = one is not None and bool(one.setting)
        gain = _gain(before, rows, one) if one is not None and own else None
        drawn = {name: result.curve for name, result in standing.tasks.items() if own}
        curves = {name: curve for name, curve in drawn.items() if curve is not None}
        scores = standing.score, default
        standings.append(TunedStanding(standing.label, standing.rank, *scores, gain, one, curves))
    return tuple(standings) if any(one.tuned for one in standings) else ()


def _gain(section: Section, rows: Sequence[Row], one: Tuned) -> Interval | None:
    """The paired difference of an agent's tuned and default scores on the section's seeds."""
    tasks = [task for task in section.tasks if task.name not in section.unscored]
    scales = [section.scales[task.name] for task in tasks]
    uniform = np.array([scale.uniform for scale in scales]).T  # (S, M)
    gaps = np.stack([scale.gaps for scale in scales], axis=-1)
    table = np.stack([finals(spec, tasks, rows, section.seeds) for spec in (one.tuned, one.spec)])
    if not np.isfinite(table).all():
        return None
    gains = uniform - table
    value = scores_and_ranks.task_scores(gains, gaps).mean(axis=-1)
    draws = scores_and_ranks.score_draws(gains, gaps).mean(axis=-1)
    return intervals(scores_and_ranks.paired_differences(value, draws, n_seeds=len(gaps)))[0][1]


def order_changes(
    section: Section, standings: Sequence[TunedStanding]
) -> list[tuple[str, int, int]]:
    """Agents whose place by score changes with tuning, as (label, place before, place after)."""
    after = [one.label for one in standings]
    shown = [(-s.score.value, s.label) for s in section.standings if s.score and s.label in after]
    before = [label for _, label in sorted(shown)]
    places = {label: place for place, label in enumerate(before, start=1)}
    return [
        (label, places[label], place)
        for place, label in enumerate(after, start=1)
        if places[label] != place
    ]
