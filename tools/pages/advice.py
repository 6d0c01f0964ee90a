"""Which agent for which kind of task, and whether such advice holds on tasks that it did not see.

A suite's tasks of a family are grouped by what an engineer knows before the first round: whether
rewards come late, whether the environment changes, how many arms there are, how long it runs. The
agents that play all tasks of a kind are ranked on them alone, as a ranking of the board is.
"""

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboards.rank.entries import Entry, by_agent
from leaderboards.rank.scale import baselines_of
from leaderboards.rank.scores_and_ranks import paired_differences, score_draws, task_scores
from leaderboards.rank.section import Section, section
from leaderboards.rank.standing import Interval, Standing, intervals
from leaderboards.report.cell_texts import NONE, interval_text
from leaderboards.report.markup import escaped
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import UNIFORM
from leaderboards.suites.suite import Suite, SuiteTask

ALL = "all tasks"
MANY, SMALL, LONG = 50, 0.05, 2.0  # arms; a gap between means; a ratio of horizons
HALVES = 200  # at most, of the ways to cut a ranking's tasks in two

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Advice:
    """The agents on one kind of a family's tasks.

    Attributes
    ----------
    group : str
        The family, or a ranking of a family where no agent plays all tasks.
    section : Section
        The ranking on the tasks of this kind alone.
    lead : Interval or None
        The score of its best agent minus that of the best agent of all tasks of the group, on
        these tasks and the same seeds; None if it is the same agent.
    """

    group: str
    kind: str
    section: Section
    lead: Interval | None

    @property
    def ranked(self) -> list[Standing]:
        """The ranked agents without the baseline, best first."""
        return _ranked(self.section)

    @property
    def first(self) -> list[Standing]:
        """Those that the data do not rule out as the best."""
        return [one for one in self.ranked if one.rank and one.rank[0] == 1]


@dataclass(frozen=True)
class HeldOut:
    """Agents chosen on half of a ranking's tasks, on the other half: means over the halves.

    Attributes
    ----------
    chosen, best, middle : float
        Scores on the other half: of the chosen agent, of the best one there, and the median.
    worst : float
        The largest shortfall of the chosen agent behind the best one.
    halves : int
        Number of ways to cut the tasks in two.
    """

    chosen: float
    best: float
    middle: float
    worst: float
    halves: int


def kinds(tasks: Sequence[SuiteTask]) -> dict[str, list[SuiteTask]]:
    """The tasks of each kind, of one family's tasks; no kind has all of them."""
    rules: dict[str, Callable[[SuiteTask], bool]] = {
        "rewards at once": lambda task: not task.written.get("delay"),
        "late rewards": lambda task: bool(task.written.get("delay")),
        "nothing changes": lambda task: not _changes(task),
        "changing": _changes,
        "arms that stay": lambda task: _fixed(task.written),
        "a parameter for each arm": lambda task: task.written.get("parameters") == "per_arm",
        f"{MANY} arms or more": lambda task: _arms(task.written) >= MANY,
        f"small gaps ({SMALL} or less)": lambda task: _gap(task.written) <= SMALL + 1e-9,
        "heavy tails": lambda task: task.written.get("noise") in ("student_t", "pareto"),
        "means that are not linear": lambda task: {"arms", "means"} <= task.written.keys(),
    }
    horizons = sorted({task.horizon for task in tasks})
    if horizons[-1] >= LONG * horizons[0]:
        middle = (horizons[0] * horizons[-1]) ** 0.5
        short = max(horizon for horizon in horizons if horizon <= middle)
        rules[f"short (T ≤ {short:,})"] = lambda task: task.horizon <= middle
        rules[f"long (T > {short:,})"] = lambda task: task.horizon > middle
    found = {kind: [task for task in tasks if rule(task)] for kind, rule in rules.items()}
    return {kind: own for kind, own in found.items() if 0 < len(own) < len(tasks)}


def lines(found: Sequence[Advice]) -> list[str]:
    """The advice as Markdown: a table for each family with several tasks, and whether it holds."""
    text: list[str] = []
    for group in dict.fromkeys(advice.group for advice in found):
        own = [advice for advice in found if advice.group == group]
        if len(own) == 1 and len(own[0].section.tasks) == 1:
            continue  # the table of its ranking says all
        text += [f"### {escaped(group)}: which agent, when", ""]
        text += ["| tasks | best | first rank | lead over the best of all tasks |"]
        text += ["|---|---|---|---|", *map(_line, own), ""]
        if (held := held_out(own[0].section)) is not None:
            text += [
                f"We split these {len(own[0].section.tasks)} tasks in two in {held.halves} ways, "
                "and scored the best agent of one part on the other. Its mean score there is "
                f"{held.chosen:.3f}; that of the best agent is {held.best:.3f}, and of the median "
                f"agent {held.middle:.3f}. At worst it is {held.worst:.3f} behind the best.",
                "",
            ]
    return text


def advise(suite: Suite, rows: Sequence[Row]) -> tuple[Advice, ...]:
    """The advice of a suite's rows, by group: on all of its tasks, then by kind."""
    rows = [row for row in rows if row.suite == suite.hash and row.seed in {-1, *suite.seeds}]
    entries = by_agent(rows, {task.name: task for task in suite.tasks})
    baselines = baselines_of(suite, rows)
    found = []

    def ranking(name: str, tasks: Sequence[SuiteTask]) -> Section:
        return section(name, suite, tasks, entries, baselines, compared=False)

    for name, tasks in _groups(suite, ranking).items():
        best = ""
        for kind, own in ({ALL: tasks} | kinds(tasks)).items():
            advice = Advice(name, kind, ranking(name, own), None)
            if not advice.ranked:
                continue
            label = advice.ranked[0].label
            best = best or label
            if best != label:
                lead = _lead(advice.section, entries, label, best)
                advice = dataclasses.replace(advice, lead=lead)
            found.append(advice)
    return tuple(found)


def held_out(ranking: Section) -> HeldOut | None:
    """Choose the best agent on half of a ranking's tasks, and score it on the others.

    None if fewer than two tasks are scored or fewer than three agents are ranked.
    """
    names = [task.name for task in ranking.tasks if task.name not in ranking.unscored]
    scores = np.array(
        [
            [score.value for name in names if (score := standing.tasks[name].score)]
            for standing in _ranked(ranking)
        ]
    )  # (L, M)
    if len(names) < 2 or len(scores) < 3:
        return None
    results = []
    for half in _halves(len(names)):
        own = np.isin(np.arange(len(names)), half)
        other = scores[:, ~own].mean(axis=1)
        chosen = other[np.argmax(scores[:, own].mean(axis=1))]
        results.append((chosen, other.max(), np.median(other)))
    chosen, best, middle = np.array(results).T
    return HeldOut(
        chosen=float(chosen.mean()),
        best=float(best.mean()),
        middle=float(middle.mean()),
        worst=float((best - chosen).max()),
        halves=len(results),
    )


def _line(advice: Advice) -> str:
    first, ranked = advice.first, advice.ranked
    named = ", ".join(task.name for task in advice.section.tasks)
    best, sharing = f"{ranked[0].label} {interval_text(ranked[0].score)}", "alone"
    if len(first) > 1 and 2 * len(first) >= len(ranked):
        best, sharing = "undecided", f"{len(first)} of {len(ranked)} agents share it"
    elif len(first) > 1:
        sharing = ", ".join(one.label for one in first)
    lead = NONE if advice.lead is None else interval_text(advice.lead)
    cells = [f"{advice.kind}: {named}", best, sharing, lead]
    return f"| {' | '.join(map(escaped, cells))} |"


def _groups(suite: Suite, ranking: Callable[..., Section]) -> dict[str, list[SuiteTask]]:
    """The tasks of each family, or of each of its rankings if no agent plays all of them."""
    found = {}
    for family in dict.fromkeys(task.family for task in suite.tasks):
        tasks = [task for task in suite.tasks if task.family == family]
        if _ranked(ranking(family, tasks)):
            found[family] = tasks
            continue
        for task in tasks:
            found.setdefault(task.ranking, []).append(task)
    return found


def _ranked(ranking: Section) -> list[Standing]:
    return [one for one in ranking.standings if one.rank is not None and one.spec not in UNIFORM]


def _halves(many: int) -> list[Any]:
    """The ways to choose half of the tasks, rounded down; 200 drawn ones if there are more."""
    if math.comb(many, many // 2) <= HALVES:
        return list(itertools.combinations(range(many), many // 2))
    rng = np.random.default_rng(0)
    return [rng.permutation(many)[: many // 2] for _ in range(HALVES)]


def _lead(ranking: Section, entries: Sequence[Entry], first: str, other: str) -> Interval:
    """The score of one agent minus that of another, on the same seeds of the ranking's tasks."""
    tasks = [task for task in ranking.tasks if task.name not in ranking.unscored]
    scales = [ranking.scales[task.name] for task in tasks]
    uniform = np.array([scale.uniform for scale in scales]).T  # (S, M)
    gaps = np.stack([scale.gaps for scale in scales], axis=-1)
    by_label = {entry.label: entry for entry in entries}
    finals = [by_label[label].finals(tasks, ranking.seeds) for label in (first, other)]
    gains = uniform - np.stack(finals)  # (2, S, M)
    value, draws = task_scores(gains, gaps).mean(axis=-1), score_draws(gains, gaps).mean(axis=-1)
    return intervals(paired_differences(value, draws, n_seeds=len(gaps)))[0][1]


def _changes(task: SuiteTask) -> bool:
    drifts = task.env.startswith("Drifting") and task.written.get("changes") != 0
    return drifts or task.written.get("adversary") == "switching"


def _fixed(written: Settings) -> bool:
    return bool(written.get("fixed_arms")) or isinstance(written.get("arms"), list)


def _arms(written: Settings) -> int:
    given = [written[key] for key in ("means", "arms") if isinstance(written.get(key), list)]
    return max([written.get("n_arms", 0), *map(len, given)])


def _gap(written: Settings) -> float:
    """The difference between the two best means, where they are given; else infinity."""
    means = written.get("means")
    if not isinstance(means, list) and isinstance(written.get("theta"), list):
        arms = written.get("arms")
        means = np.dot(arms, written["theta"]).tolist() if isinstance(arms, list) else None
    if not isinstance(means, list):
        return float(written.get("gap", np.inf))
    best, second = sorted(means)[-1:-3:-1]
    return best - second
