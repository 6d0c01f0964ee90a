"""Reduces one agent's rows to one result or one failure per episode (task and seed)."""

import copy
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from leaderboards.run.impossible import impossible
from leaderboards.run.store.store import Row
from leaderboards.suites.suite import SuiteTask


class Entry:
    """The rows of one agent.

    Attributes
    ----------
    label : str
        Unique on the board.
    good : dict of (str, int) to Row
        The row with the result of each episode, by task and seed.
    errors : dict of (str, int) to str
        The error of each episode without a result, by task and seed.
    refusals : dict of str to str
        The reason why the agent cannot play a task, by task.
    contradictions : list of (str, int)
        The episodes with several results that differ, by task and seed.
    """

    def __init__(self, label: str, rows: Sequence[Row], tasks: Mapping[str, SuiteTask]):
        self.label, self.rows = label, rows
        self.full_information = any(row.full_information for row in rows)
        self.refusals: dict[str, str] = {}
        self.good: dict[tuple[str, int], Row] = {}
        self.errors: dict[tuple[str, int], str] = {}
        self.contradictions: list[tuple[str, int]] = []
        attempts = defaultdict(list)
        for row in rows:
            if row.refused:
                self.refusals[row.task] = min(
                    row.error or "refused", self.refusals.get(row.task, row.error or "refused")
                )
            else:
                attempts[row.task, row.seed].append(row)
        for cell, several in sorted(attempts.items()):
            faults = {id(row): fault_of(row, tasks[row.task]) for row in several}
            good = [row for row in several if faults[id(row)] is None]
            if good:
                if len(good) > 1:
                    # The order of rows must not matter, so the first one in JSON order counts.
                    good.sort(
                        key=lambda row: json.dumps([row.rounds, row.measures], sort_keys=True)
                    )
                self.good[cell] = good[0]
                if any(row.measures != good[0].measures for row in good):
                    self.contradictions.append(cell)
            else:
                self.errors[cell] = min(fault for fault in faults.values() if fault)

    def on(self, tasks: Sequence[SuiteTask]) -> "Entry | None":
        """The entry on some of the tasks; None if the agent tried none of them or refuses all."""
        own = {task.name for task in tasks}
        rows = [row for row in self.rows if row.task in own]
        if not rows or own <= self.refusals.keys():
            return None
        part = copy.copy(self)  # its rows have been checked
        part.rows = rows
        part.full_information = any(row.full_information for row in rows)
        part.refusals = {task: reason for task, reason in self.refusals.items() if task in own}
        part.good = {cell: row for cell, row in self.good.items() if cell[0] in own}
        part.errors = {cell: error for cell, error in self.errors.items() if cell[0] in own}
        part.contradictions = [cell for cell in self.contradictions if cell[0] in own]
        return part

    def final(self, task: SuiteTask, seed: int) -> float:
        """The measure after the last round; NaN if there is none."""
        row = self.good.get((task.name, seed))
        return math.nan if row is None else last_of(row, task)

    def finals(self, tasks: Sequence[SuiteTask], seeds: Sequence[int]) -> np.ndarray:
        """The measures after the last round, an array of shape (S, M); NaN where missing."""
        finals = [[self.final(task, seed) for task in tasks] for seed in seeds]
        return np.reshape(np.array(finals, float), (len(seeds), len(tasks)))


def finals(
    spec: str, tasks: Sequence[SuiteTask], rows: Sequence[Row], seeds: Sequence[int]
) -> np.ndarray:
    """`Entry.finals` of the rows of the agent that ``spec`` names."""
    named = {task.name: task for task in tasks}
    own = [row for row in rows if row.spec == spec and row.task in named]
    return Entry(spec, own, named).finals(tasks, seeds)


def by_agent(rows: Sequence[Row], tasks: Mapping[str, SuiteTask]) -> list[Entry]:
    """Group rows into entries with unique labels, sorted by label.

    Rows belong to one agent if their label, hyperparameters, hash of sources and isolation are
    equal. If several agents share a label, the isolation is added where it differs
    (``LinUCB [full]``), then the hash (``LinUCB @1f3a9c0``), and a number if that is not enough.
    """
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    places: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        places[row.agent].add(row.where)
    for row in rows:
        hyperparameters = json.dumps(row.hyperparameters, sort_keys=True)
        label = f"{row.agent} [{row.where}]" if len(places[row.agent]) > 1 else row.agent
        groups[label, row.sources, hyperparameters].append(row)
    several = Counter(label for label, _, _ in groups)
    again = Counter((label, sources) for label, sources, _ in groups)
    entries: list[Entry] = []
    seen: Counter[tuple[str, str]] = Counter()
    for key, own in sorted(groups.items()):
        label, sources, _ = key
        seen[label, sources] += 1
        unique = label
        if several[label] > 1:
            unique += f" @{sources[:7]}"
        if again[label, sources] > 1:
            unique += f" #{seen[label, sources]}"
        entries.append(Entry(unique, own, tasks))
    return entries


def last_of(row: Row, task: SuiteTask) -> float:
    """The measure after the last round, of a row that has a result."""
    return (row.measures or {})[task.measure][-1]


def fault_of(row: Row, task: SuiteTask) -> str | None:
    """Why a row does not count as a result; None if it does."""
    if row.error is not None:
        return row.error
    curve = (row.measures or {}).get(task.measure)
    if not curve or not row.rounds:
        return f"has no measure {task.measure!r}"
    if len(curve) != len(row.rounds) or row.rounds[-1] != task.horizon:
        return f"its {task.measure} does not end at round {task.horizon}"
    if None in curve or not all(map(math.isfinite, curve)):
        return f"its {task.measure} is not finite"
    return impossible(task.family, row.measures or {}) if task.measure == "regret" else None
