"""Builds a leaderboard from rows of results: one ranking for each family of a suite's tasks.

Hardly any agent plays more than one family, so each family is ranked separately, by the rows of its
tasks alone (see `leaderboards.rank.section`). If only some agents of a family can play a task, a
suite may give the task another ranking. A suite with several rankings also has an overall ranking
of the agents that play all of them, once one of these agents has every result.

A board is plain data: equal rows, in any order, give equal boards bit for bit, except for times.
Rows with one label but different sources or hyperparameters belong to different agents; their
labels then show the hash, which is the same in all sections.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leaderboards.rank.entries import Entry, by_agent
from leaderboards.rank.scale import baselines_of
from leaderboards.rank.section import Section, section
from leaderboards.rank.tuned_records import TunedStanding
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import UNIFORM, Baselines
from leaderboards.suites.suite import Suite
from leaderboards.suites.suite_tables import OVERALL


@dataclass(frozen=True)
class Board:
    """A leaderboard with all data that any output needs.

    Attributes
    ----------
    sections : tuple of Section
        One for each ranking in the suite's order, including those without results; in a suite with
        several rankings the last one is the overall ranking, if there is one.
    refusals : dict of str to tuple of str
        Agents that can play no task, by label, with their reasons. They are in no section.
    data : dict of str to str
        Hash of every data file of the rows.
    notes : tuple of str
        Notes for the reader on the board as a whole.
    tuned : dict of str to tuple of TunedStanding
        By ranking, the agents with their tuned settings, best first; empty if none were tuned (see
        `leaderboards.rank.tuned`).
    """

    suite: Suite
    sections: tuple[Section, ...]
    refusals: dict[str, tuple[str, ...]]
    data: dict[str, str]
    notes: tuple[str, ...]
    tuned: dict[str, tuple[TunedStanding, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        labels = {standing.label for one in self.sections for standing in one.standings}
        return f"<Board of {self.suite.name}: {len(self.sections)} rankings, {len(labels)} agents>"


def build(suite: Suite, rows: Iterable[Row], *, compared: bool = True) -> Board:
    """Reduce rows to a leaderboard.

    Parameters
    ----------
    rows : iterable of Row
        In any order. Rows of other suites, and of seeds that the suite does not have, are left out.
    compared : bool
        Whether to make profiles and comparisons of pairs, which take most of the time.

    Raises
    ------
    ValueError
        If a row of this suite names a task that the suite does not have.
    """
    wanted = {-1, *suite.seeds}  # -1: refusals
    rows = [row for row in rows if row.suite == suite.hash and row.seed in wanted]
    tasks = {task.name: task for task in suite.tasks}
    for row in rows:
        if row.task not in tasks:
            raise ValueError(f"suite {suite.name} has no task {row.task!r}, which a row names")
    entries, baselines = by_agent(rows, tasks), baselines_of(suite, rows)
    rankings = dict.fromkeys(task.ranking for task in suite.tasks)
    sections = [
        section(
            name,
            suite,
            [task for task in suite.tasks if task.ranking == name],
            entries,
            baselines,
            compared=compared,
        )
        for name in rankings
    ]
    shown = {standing.label for one in sections for standing in one.standings}
    notes = []
    if len(sections) > 1 and shown:
        overall = _overall(suite, sections, entries, baselines, compared)
        if any(standing.score is not None for standing in overall.standings):
            sections.append(overall)
        else:
            reason = "has every result" if overall.standings else "plays every family"
            notes.append(f"no agent {reason}, so there is no overall ranking")
    notes += _of_the_sandbox(entries)
    return Board(
        suite=suite,
        sections=tuple(sections),
        refusals={
            entry.label: tuple(sorted(set(entry.refusals.values())))
            for entry in entries
            if entry.label not in shown
        },
        data=dict(sorted({item for row in rows for item in row.data.items()})),
        notes=tuple(notes),
    )


def faults_text(rows: Iterable[Row]) -> str:
    """The faults of an agent in the sandbox: ``error in round 5 on 4 seeds``, ..; empty if none."""
    rounds: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        for first, kind in row.faults[:1]:
            rounds[kind].append(first)
    texts = []
    for kind, first in sorted(rounds.items()):
        seeds = "1 seed" if len(first) == 1 else f"{len(first)} seeds"
        low, high = min(first), max(first)
        when = f"round {low}" if low == high else f"rounds {low} to {high}"
        texts.append(f"{kind} in {when} on {seeds}")
    return ", ".join(texts)


def _of_the_sandbox(entries: Sequence[Entry]) -> list[str]:
    """Notes on where agents played, unless all in the environment's process, and on faults."""
    places: dict[str, list[str]] = {}
    faults: list[str] = []
    for entry in entries:
        for where in sorted({row.where for row in entry.rows}):
            places.setdefault(where, []).append(entry.label)
        if told := faults_text(entry.rows):
            faults.append(f"{entry.label} ({told})")
    notes = []
    if places.keys() - {"none"}:
        listed = "; ".join(f"{where}: {', '.join(labels)}" for where, labels in places.items())
        notes.append(f"isolation of the agents: {listed} (in the sandbox the state is as claimed)")
    if faults:
        notes.append(f"uniform play replaced, after a fault in the sandbox, {', '.join(faults)}")
    return notes


def _overall(
    suite: Suite,
    sections: Sequence[Section],
    entries: Sequence[Entry],
    baselines: Mapping[str, Baselines],
    compared: bool,
) -> Section:
    """The ranking of the agents that play every family, over all scored tasks."""
    players = [
        {standing.label for standing in one.standings}
        for one in sections
        if len(one.unscored) < len(one.tasks)
    ]
    unscored = {name for one in sections for name in one.unscored}
    everywhere = set.intersection(*players) if players else set()
    there = [entry for entry in entries if entry.label in everywhere]
    if all(entry.full_information or entry.rows[0].spec in UNIFORM for entry in there):
        everywhere = set()  # a baseline and references alone are no ranking
    return section(
        OVERALL,
        suite,
        [task for task in suite.tasks if task.name not in unscored],
        [entry for entry in entries if entry.label in everywhere],
        baselines,
        compared=compared,
    )
